import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { readInstructionRecord, writeInstructionRecord } = await withoutVsCode(
  () => import('../../../../src/host/attachments/instructions.ts'),
);

describe('the record of decisions about instructions', () => {
  it('is read as it was written', () => {
    const files = [{ path: 'AGENTS.md', isUsed: true, text: 'Be kind.' }];
    const stored: unknown = JSON.parse(JSON.stringify(writeInstructionRecord(files)));
    assert.deepEqual(readInstructionRecord(stored), files);
  });

  it('counts as none where it is damaged or of another version', () => {
    for (const stored of [undefined, 'x', { version: 2, files: [] }, { version: 1, files: [1] }]) {
      assert.deepEqual(readInstructionRecord(stored), []);
    }
  });
});
