import assert from 'node:assert/strict';
import type { UserMessage } from '../../../../src/core/conversation/conversation.ts';
import type { ProduceCode, ProduceText } from '../../../../src/host/review/answerCode.ts';
import { until } from '../../../support/until.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** Fake of VS Code with documents and with notifications whose buttons the test presses. */
const source = `
  export const window = { visibleTextEditors: [] };
  export const SymbolKind = {};
  export const workspace = {
    getWorkspaceFolder: () => undefined,
    asRelativePath: (uri) => uri.path.slice(1),
    openTextDocument: async ({ content, language }) => ({
      uri: { scheme: 'file', path: '/src/a.ts' },
      languageId: language,
      content,
      getText() { return this.content; },
      lineAt(line) { return { text: this.content.split('\\n')[line] }; },
    }),
  };
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d+)\\}/g, (_, at) => given[at]) };
`;

const { vscode, answerCode, showWordsReply, UserError } = await withFakeVsCode(
  source,
  async () => ({
    vscode: await import('vscode'),
    ...(await import('../../../../src/host/review/answerCode.ts')),
    ...(await import('../../../../src/host/code/wordsReply.ts')),
    ...(await import('../../../../src/host/errors.ts')),
  }),
);

const message: UserMessage = { text: 'Fix the code', attachments: [] };
const file = 'function f() {\n    old();\n}\n';

describe('the reply to a command on code', () => {
  /** Text and buttons of each notification. */
  let notifications: string[][];
  let errors: string[];
  /** Presses a button of the notification; undefined closes it. */
  let press: (button: string | undefined) => void;
  /** The code of each review that is open. */
  let reviewed: string[];
  /** The code of a review that is still streaming. */
  let streamed: string;
  let sent: UserMessage[];
  let review: (produce: ProduceCode) => Promise<void>;
  let ask: (message: UserMessage) => Promise<void>;

  beforeEach(() => {
    [notifications, errors, reviewed, sent] = [[], [], [], []];
    press = () => assert.fail('There is no notification.');
    review = async (produce) => {
      streamed = '';
      await produce((code) => (streamed += code), new AbortController().signal);
      reviewed.push(streamed);
    };
    ask = (sentMessage) => Promise.resolve(void sent.push(sentMessage));
    Object.assign(vscode.window, {
      showInformationMessage(...texts: string[]) {
        notifications.push(texts);
        return new Promise((resolve) => (press = resolve));
      },
      showErrorMessage(text: string) {
        errors.push(text);
        return Promise.resolve();
      },
    });
  });

  /** Runs a command that replaces the second line of a file; returns the file. */
  async function run(produce: ProduceText, language = 'typescript'): Promise<object> {
    const document = await vscode.workspace.openTextDocument({ content: file, language });
    await showWordsReply({
      produce,
      review: (text) => review(answerCode({ document, start: 1, end: 2 }, text)),
      document,
      message: () => message,
      ask,
    });
    return document;
  }

  const reply =
    (...pieces: readonly string[]): ProduceText =>
    (onText) => {
      pieces.forEach(onText);
      return Promise.resolve();
    };

  it('streams into the review if it has a fence', async () => {
    await run((onText) => {
      onText('Sure:\n```ts\nfirst();\nsec');
      assert.equal(streamed, '    first();\n');
      onText('ond();\n```');
      return Promise.resolve();
    });
    assert.deepEqual(reviewed, ['    first();\n    second();\n']);
  });

  it('is shown as text if it has no fence, without a review', async () => {
    await run(reply('Sorry, I [cannot](command:x)\n', 'do that.'));
    assert.deepEqual(notifications, [
      [
        "The reply isn't in a code block. Nothing was changed. Sorry, I [cannot] (command:x) do that.",
        'Use as Code',
        'Ask in Chat',
      ],
    ]);
    press(undefined);
    await new Promise(setImmediate);
    assert.deepEqual([reviewed, streamed, sent, errors], [[], '', [], []]);
  });

  it('is sent in the chat on Ask in Chat', async () => {
    await run(reply('let a;'));
    press('Ask in Chat');
    await until(() => sent.length > 0);
    assert.deepEqual([sent, reviewed, errors], [[message], [], []]);
  });

  it('does not replace lines of a file that has changed since the command', async () => {
    const document = await run(reply('let a;'));
    Object.assign(document, { content: `\n${file}` });
    press('Use as Code');
    await until(() => errors.length > 0);
    assert.deepEqual([errors, reviewed], [['src/a.ts has changed meanwhile. Try again.'], []]);
  });

  it('is neither code nor text if it was cut off', async () => {
    for (const text of ['let a', '```ts\nlet a;\n']) {
      const cut: ProduceText = (onText) => {
        onText(text);
        return Promise.reject(new UserError('The reply was cut off.'));
      };
      await assert.rejects(run(cut), /was cut off/);
    }
    assert.deepEqual([reviewed, notifications], [[], []]);
  });

  it('opens the review that the same reply in a fence would, on Use as Code', async () => {
    for (const code of [
      'new();',
      'if (a) {\n  b();\n}\n',
      '// ```ts\n// a();\n// ```',
      '```a```',
    ]) {
      await run(reply(code));
      press('Use as Code');
      await until(() => reviewed.length === 1);
      await run(reply(`\`\`\`\`\`ts\n${code.trimEnd()}\n\`\`\`\`\``));
      assert.equal(reviewed[1], reviewed[0]);
      reviewed = [];
    }
    assert.deepEqual([sent, errors], [[], []]);
  });

  it("can't be used as code if its only block is a diff, or it is empty", async () => {
    await run(reply('```diff\n-a\n+b\n```'));
    await run(reply('Install it:\n```sh\nnpm i\n```'));
    await run(reply(' \n'));
    assert.deepEqual(notifications, [
      ['The reply has no code. Nothing was changed. ```diff -a +b ```', 'Ask in Chat'],
      ['The reply has no code. Nothing was changed. Install it: ```sh npm i ```', 'Ask in Chat'],
      ['The reply is empty. Nothing was changed.', 'Ask in Chat'],
    ]);
  });
});
