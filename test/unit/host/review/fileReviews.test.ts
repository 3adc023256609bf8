import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import { lateThoughtEnd } from '../../../../src/core/service/thinkSplitter.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const vscode = `
  export const l10n = { t: (text, ...values) => text.replace('{0}', values[0]) };
  export const window = { visibleTextEditors: [] };
  export const Uri = { from: (parts) => parts };
  export const documents = {
    open: (text) => ({
      languageId: 'python',
      getText: () => text,
      lineAt: (line) => ({ text: text.split('\\n')[line] }),
    }),
  };
`;

interface Documents {
  open(text: string): TextDocument;
}

function isDocuments(value: unknown): value is Documents {
  return value instanceof Object && 'open' in value;
}

const { codeOfReply, documents } = await withFakeVsCode(vscode, async () => {
  const fake: object = await import('vscode');
  const documents: unknown = Reflect.get(fake, 'documents');
  assert.ok(isDocuments(documents));
  return { ...(await import('../../../../src/host/review/fileReviews.ts')), documents };
});

/** The code that a reply in these pieces leads to, and all states of it. */
async function codeOf(text: string, pieces: readonly string[]): Promise<readonly string[]> {
  let code = '';
  const states: string[] = [];
  const target = {
    push(added: string): void {
      code += added;
      states.push(code);
    },
    restart(): void {
      code = '';
      states.push(code);
    },
  };
  const place = { document: documents.open(text), start: 0, end: text.split('\n').length };
  const produce = codeOfReply(place, (onText) => {
    for (const piece of pieces) onText(piece);
    return Promise.resolve();
  });
  await produce(target, new AbortController().signal);
  return states;
}

describe('the code of a reply', () => {
  it('begins anew where the code so far proves to be that of a thought', async () => {
    const thought = ['Or:\n```py\nold()\n', '```\nno.'];
    for (const end of ['\n</think>\n', lateThoughtEnd]) {
      const states = await codeOf('  a()', [...thought, end, '```py\nnew()\n```']);
      assert.ok(states.includes('  old()\n'), 'It was shown.');
      assert.equal(states.at(-1)?.trimEnd(), '  new()');
    }
  });

  it('has the tabs or spaces of the file, also before an editor shows it', async () => {
    const spaces = '```py\ndef a():\n    return 2\n```';
    const tabs = spaces.replace('    ', '\t');
    const file = 'def a():\n\tif b:\n\t\treturn 1';
    assert.equal((await codeOf(file, [spaces])).at(-1), 'def a():\n\treturn 2\n');
    const other = file.replaceAll('\t', '    ');
    assert.equal((await codeOf(other, [tabs])).at(-1), 'def a():\n    return 2\n');
    // Lines of a comment that begin with a space are not indented by spaces.
    const comment = `/*\n${' * Many lines.\n'.repeat(9)} */\n`;
    const [state] = (await codeOf(`${comment}\tif b:`, [spaces])).slice(-1);
    assert.equal(state, 'def a():\n\treturn 2\n');
  });

  it('is refused if a comment in it stands for lines that it would delete', async () => {
    const file = 'def f():\n    a()\n    b()';
    const reply = (line: string): readonly string[] => [
      `\`\`\`py\ndef f():\n    a(1)\n${line}\n\`\`\``,
    ];
    for (const line of ['    # ... existing code ...', '    # rest unchanged'])
      await assert.rejects(codeOf(file, reply(line)), {
        name: 'UserError',
        message: `The reply leaves out code at “${line.trim()}”. Nothing was changed.`,
      });
    assert.ok((await codeOf(file, reply('    # Was b().'))).length > 0);
    assert.ok((await codeOf(file, ['```py\ndef f(): ...\n```'])).length > 0);
  });
});
