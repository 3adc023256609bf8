import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';
import { markdownOf } from '../../../../src/core/history/markdownExport.ts';
import { runs } from '../../../support/sample.ts';
import { anyConversation } from './anyConversation.ts';
import { turnStart } from '../../../support/turns.ts';

const at = Date.UTC(2026, 10, 22, 15, 20);
const attachment = {
  id: 'a',
  name: 'wind.ts:3-4',
  path: 'wind.ts',
  language: 'typescript',
  text: 'const speed = 3;\n',
};
const path = '{"path":"wind.ts"}';
const made = { id: 'f', kind: 'create', status: 'kept' } as const;
const events: readonly ConversationEvent[] = [
  turnStart({
    question: { text: 'Is <b>wind</b> a `number`?', attachments: [attachment] },
    model: 'mistral/mistral_small',
    at,
  }),
  { type: 'reasoning-delta', text: 'Let me look.', at },
  { type: 'text-delta', text: 'I will read it:\n\n```ts\nlet wind: Array<number>', at },
  {
    type: 'tool-call-start',
    call: { id: 'c', name: 'read_file', arguments: path, round: 1, title: 'Read <it>' },
  },
  { type: 'tool-call-run', id: 'c', grant: 'Allowed', at },
  { type: 'tool-call-result', id: 'c', outcome: 'done', result: '```\n</details>', at },
  { type: 'text-delta', text: 'Yes.', at },
  {
    type: 'files-change',
    turn: 't',
    changes: [{ ...made, path: 'wind_test.ts', addedLines: 3, removedLines: 0 }],
  },
  { type: 'turn-end', status: 'cut', error: { kind: 'x', message: 'Lost [it](a).' }, at },
];

const expected = `# Is <b>wind</b> a \`number\`?

- Date: 2026-11-22 15:20 UTC
- Model: mistral/mistral\\_small

## You

Is &lt;b>wind&lt;/b> a \`number\`?

<details>
<summary>Attachment: wind.ts:3-4</summary>

\`\`\`typescript
const speed = 3;
\`\`\`

</details>

## mistral/mistral\\_small

<details>
<summary>Reasoning</summary>

Let me look.

</details>

I will read it:

\`\`\`ts
let wind: Array<number>
\`\`\`

<details>
<summary>Tool call: read_file: Read &lt;it&gt; (done)</summary>

\`\`\`json
{"path":"wind.ts"}
\`\`\`

\`\`\`\`
\`\`\`
</details>
\`\`\`\`

</details>

Yes.

Changed files:

- wind\\_test.ts (+3 −0)

> The reply is incomplete. Lost \\[it\\](a).
`.replace('# Is <b>wind</b> a `number`?', '# Is \\<b\\>wind\\</b\\> a \\`number\\`?');

describe('a chat as Markdown', () => {
  it('shows titles, unchanged code, and other content folded', () => {
    const conversation = events.reduce(reduce, emptyConversation('c'));
    const file = chatFileOf(conversation, (text) => text, { reasoning: true });
    assert.equal(markdownOf(file), expected);
  });

  it('is titled by an attachment if there is no text, and never has an empty heading', () => {
    const headingOf = (text: string, attachments = [attachment]): string => {
      const question = { text, attachments };
      const start = turnStart({ question, at });
      const conversation = reduce(emptyConversation('c'), start);
      return markdownOf(chatFileOf(conversation, (text) => text)).split('\n')[0] ?? '';
    };
    assert.equal(headingOf(' \n'), '# wind.ts:3-4');
    assert.equal(headingOf('```', []), '# Chat');
  });

  it('contains no HTML except balanced tags of folds', () => {
    const fold = /^<details>\n<summary>[^<>\n]*<\/summary>\n$|^<\/details>\n?$/;
    const reader = new MarkdownIt({ html: true });
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const markdown = markdownOf(chatFileOf(conversation, (text) => text, { reasoning: true }));
        const html = reader
          .parse(markdown, {})
          .flatMap((token) => [token, ...(token.children ?? [])])
          .filter(({ type }) => type.startsWith('html'))
          .map(({ content }) => content);
        assert.deepEqual(
          html.filter((content) => !fold.test(content)),
          [],
        );
        const closed = html.filter((content) => content.startsWith('</')).length;
        assert.equal(closed * 2, html.length);
      }),
      { numRuns: runs(500) },
    );
  });
});
