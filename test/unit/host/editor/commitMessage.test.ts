import assert from 'node:assert/strict';
import { lateThoughtEnd } from '../../../../src/core/service/thinkSplitter.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { MessageInput } = await withoutVsCode(
  () => import('../../../../src/host/editor/commitMessage.ts'),
);

describe('a commit message that streams into the input', () => {
  it('replaces the previous text', () => {
    const input = { value: 'wip' };
    const message = new MessageInput(input);
    assert.equal(message.add('Fix the '), true);
    assert.equal(input.value, 'Fix the');
    message.add('parser\n');
    assert.equal(input.value, 'Fix the parser');
  });

  it('restores the previous text', () => {
    const input = { value: 'wip' };
    const message = new MessageInput(input);
    message.add('Fix');
    message.restore();
    assert.equal(input.value, 'wip');
  });

  it('keeps text that the person typed meanwhile', () => {
    const input = { value: '' };
    const message = new MessageInput(input);
    message.add('Fix the parser');
    input.value = 'Mine';
    assert.equal(message.add(' and more'), false);
    message.restore();
    assert.equal(input.value, 'Mine');
  });

  it('does not mistake its own delayed value for typing', () => {
    const input = { value: '' };
    const message = new MessageInput(input);
    message.add('Fix ');
    message.add('the parser');
    input.value = 'Fix';
    assert.equal(message.add(' now'), true);
    assert.equal(input.value, 'Fix the parser now');
  });

  it('replaces what proves to be words about the message, or a thought', () => {
    const input = { value: 'wip' };
    const message = new MessageInput(input);
    const pieces = [
      'Hm, a',
      ' fix.',
      lateThoughtEnd,
      'Here is the',
      ' commit message:\n',
      '\n"Fi',
      'x"',
    ];
    for (const piece of pieces) {
      const shown = input.value;
      assert.equal(message.add(piece), true);
      // VS Code may still have the text from before.
      if (piece === lateThoughtEnd) input.value = shown;
    }
    message.end();
    assert.equal(input.value, 'Fix');
  });

  it('is empty until a part of the message arrives', () => {
    const message = new MessageInput({ value: 'wip' });
    message.add('```');
    assert.equal(message.isEmpty, true);
    message.add('\nFix');
    assert.equal(message.isEmpty, false);
  });
});
