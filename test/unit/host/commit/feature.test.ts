import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { MessageInput, extractMessage } = await withoutVsCode(
  () => import('../../../../src/host/commit/feature.ts'),
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

  it('is empty until a part of the message arrives', () => {
    const message = new MessageInput({ value: 'wip' });
    message.add('```');
    assert.equal(message.isEmpty, true);
    message.add('\nFix');
    assert.equal(message.isEmpty, false);
  });
});

describe('the message in a reply', () => {
  const message = 'Fix the parser\n\nIt took `` ` `` for a fence.';

  it('is extracted without a fence and surrounding whitespace', () => {
    assert.equal(extractMessage(`\n\`\`\`text\n${message}\n\`\`\`\n`), message);
    assert.equal(extractMessage(`  ${message}\n`), message);
  });

  it('reveals invisible characters', () => {
    assert.equal(extractMessage('Fix\u202e it'), 'Fix\\u{202e} it');
  });

  it('only grows while the reply does', () => {
    const answers = [message, `\`\`\`\n${message}\n\`\`\``, `\n\`\`\`\`text\n${message}\n\`\`\`\``];
    fc.assert(
      fc.property(
        fc.constantFrom(...answers),
        fc.nat(),
        fc.nat(),
        (answer, firstCut, secondCut) => {
          const [first = 0, second = 0] = [
            firstCut % (answer.length + 1),
            secondCut % (answer.length + 1),
          ].sort((a, b) => a - b);
          const [earlier, later] = [
            extractMessage(answer.slice(0, first)),
            extractMessage(answer.slice(0, second)),
          ];
          assert.ok(
            later.startsWith(earlier),
            `${JSON.stringify(earlier)} ${JSON.stringify(later)}`,
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
