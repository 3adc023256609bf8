import assert from 'node:assert/strict';
import type { FailedCommands } from '../../../../src/host/terminal/failedCommands.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

// The module of the failed commands, which other tests share, listens in the window.
const vscode = `
  export const window = new Proxy({}, { get: () => () => ({ dispose() {} }) });
  export const workspace = { isTrusted: false };
  export const l10n = { t: (text) => text };
`;

const { explainTerminal } = await withFakeVsCode(
  vscode,
  () => import('../../../../src/host/terminal/explainTerminal.ts'),
);

describe('the explanation of a terminal in an untrusted workspace', () => {
  it('is refused before anything is read', async () => {
    const failed: Pick<FailedCommands, 'last'> = {
      last: () => assert.fail('The last command was read.'),
    };
    const ask = (): Promise<void> => assert.fail('A message was sent.');
    await assert.rejects(explainTerminal({ failed, ask }), /^UserError: Trust this workspace to/);
  });
});
