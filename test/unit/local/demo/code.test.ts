import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeCommands, type CodeCommandName } from '../../../../src/core/code/codeCommands.ts';
import { editMessages, testMessages } from '../../../../src/core/code/codePrompt.ts';
import { commitMessages } from '../../../../src/core/code/commitMessage.ts';
import { planReview, ReviewReader } from '../../../../src/core/code/changeReview.ts';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { onlySample, parseMessage, replyToCodeRequest } from '../../../../src/local/demo/chat.ts';
import { sampleChanges, sampleFiles } from '../../../../src/local/demo/sample.ts';
import { projectFolder } from '../../../support/paths.ts';
import { runCommand } from '../../../support/runCommand.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

const temperature = sampleFiles['src/temperature.ts'] ?? '';
const report = sampleFiles['server/report.py'] ?? '';
const typescript = { path: 'src/temperature.ts', language: 'typescript', text: temperature };
const python = { path: 'server/report.py', language: 'python', text: report };

function taskOf(name: CodeCommandName): string {
  return codeCommands[name].instruction({ t: (text) => text });
}

function replyTo(messages: readonly WireMessage[]): string {
  const reply = replyToCodeRequest(messages.map(({ content }) => ({ content: content ?? '' })));
  return reply ?? assert.fail('It is no request of a command.');
}

/** The file after an edit of its lines from `start` to `end`; the reply if that has no code. */
function edited(
  { path, language, text }: typeof typescript,
  task: string,
  start = 0,
  end = Infinity,
): string {
  const lines = text.split(/(?<=\n)/);
  const above = lines.slice(0, start).join('');
  const selected = lines.slice(start, end).join('');
  const below = lines.slice(end).join('');
  const code = { path, language, above, selected, below, firstLine: start + 1 };
  const reply = replyTo(editMessages(code, task, ''));
  const [block] = parseMessage(reply).blocks;
  return block === undefined ? reply : `${above}${block.text}\n${below}`;
}

const fixedTypescript = temperature.replace(
  'average(): number {\n',
  'average(): number | undefined {\n    if (this.#readings.length === 0) return undefined;\n',
);

describe('a command on code in the demo', () => {
  it('fixes, improves and documents the sample, once', () => {
    assert.equal(edited(typescript, taskOf('fix')), fixedTypescript);
    assert.match(edited(python, 'Fix this, please'), /width = max[^]*\{'station':<\{width\}\}/);
    assert.match(edited(typescript, taskOf('improve')), /const \{ celsius \}[^]*return 'hot';\n\}/);
    assert.match(edited(python, taskOf('document')), /class Day:\n {4}"""The lowest/);
    for (const [file, name] of [
      [typescript, 'fix'],
      [typescript, 'improve'],
      [python, 'document'],
    ] as const) {
      const again = edited({ ...file, text: edited(file, taskOf(name)) }, taskOf(name));
      assert.equal(again, onlySample);
    }
  });

  it('changes only the selected lines, and documents them for words that it does not know', () => {
    const comment =
      '/** Converts degrees Celsius to Fahrenheit: 0 °C is 32 °F, and 100 °C is 212 °F. */';
    const documented = temperature.replace(
      'export function toF',
      `${comment}\nexport function toF`,
    );
    for (const words of ['document this', 'これにドキュメントを付けて'])
      assert.equal(edited(typescript, words, 7, 10), documented);
    assert.equal(edited({ ...typescript, text: documented }, 'document this', 8, 11), onlySample);
    assert.equal(edited(typescript, taskOf('fix'), 7, 10), onlySample);
  });

  it('says for other code that only the sample is known', () => {
    const other = { path: 'src/temperature.ts', language: 'typescript', text: 'a();\n' };
    for (const task of [taskOf('fix'), 'Sort it']) assert.equal(edited(other, task), onlySample);
    const code = { ...other, above: '', selected: other.text, below: '', firstLine: 1 };
    assert.equal(replyTo(testMessages(code, { path: 'a.test.ts' }, '', '')), onlySample);
  });

  it('writes tests that pass, before and after the fix', async () => {
    const code = { ...typescript, above: '', selected: temperature, below: '', firstLine: 1 };
    const reply = replyTo(testMessages(code, { path: 'src/temperature.test.ts' }, '', ''));
    const tests = parseMessage(reply).blocks[0]?.text ?? '';
    assert.match(tests, /import assert/);
    const folder = await TemporaryFolder.create();
    try {
      await mkdir(join(folder.path, 'src'));
      await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
      await writeFile(join(folder.path, 'src/temperature.test.ts'), tests);
      for (const text of [temperature, fixedTypescript]) {
        await writeFile(join(folder.path, 'src/temperature.ts'), text);
        const command = { folder: folder.path, quiet: true };
        assert.equal(await runCommand(process.execPath, ['src/temperature.test.ts'], command), 0);
      }
    } finally {
      await folder.dispose();
    }
  });
});

interface NewFile {
  readonly path: string;
  readonly text: string;
}

function addition({ path, text }: NewFile): { readonly path: string; readonly diff: string } {
  const lines = text.replace(/\n$/, '').split('\n');
  return { path, diff: `@@ -0,0 +1,${lines.length} @@\n+${lines.join('\n+')}\n` };
}

describe('a review in the demo', () => {
  /** Paths and lines with comments; the words of the reply if there are none. */
  function review(files: readonly NewFile[]): readonly string[] {
    const [request] = planReview(files.map(addition), '').requests;
    assert.ok(request);
    const reader = new ReviewReader(request.files);
    const comments = reader.push(replyTo(request.messages));
    if (reader.words !== '') return [reader.words];
    return comments.map(({ path, lines }) => `${path} ${lines.join('\n').trim()}`);
  }

  it('has a comment on the lines of each fix, whose words ask for that fix', () => {
    const [average = '', columns = '', ...more] = review([typescript, python]);
    assert.equal(average, 'src/temperature.ts average(): number {');
    assert.match(columns, /^server\/report\.py lines = \[.*\n {4}return ".*\]\)$/);
    assert.deepEqual(more, []);
    const [comment] = sampleChanges.flatMap((change) => change.review ?? []);
    assert.equal(edited(typescript, `Do what this asks for:\n\n${comment}`), fixedTypescript);
  });

  it('finds nothing in fixed code, and says for other code that only the sample is known', () => {
    const fixed = [typescript, python].map((file) => ({
      ...file,
      text: edited(file, taskOf('fix')),
    }));
    assert.deepEqual(review(fixed), []);
    assert.deepEqual(review([{ path: 'src/temperature.ts', text: 'a();\n' }]), [onlySample]);
  });
});

describe('a commit message in the demo', () => {
  it('describes a change, a new sample, or says that only the sample is known', () => {
    const messageFor = (text: string, path: string): string =>
      replyTo(commitMessages([addition({ path, text })], ['Say hello'], ''));
    for (const { search, replace, file, commit, reason } of sampleChanges) {
      const lines = replace.split('\n').filter((line) => !search.split('\n').includes(line));
      const [subject = '', , body] = messageFor(lines.join('\n'), file).split('\n');
      assert.deepEqual([subject, body], [commit, reason]);
      assert.ok(subject.length <= 72, subject);
    }
    assert.equal(messageFor(temperature, 'src/temperature.ts'), 'Add the weather station');
    assert.equal(messageFor('a();\n', 'a.ts'), onlySample);
  });
});

describe('the sample of the demo', () => {
  for (const [path, text] of Object.entries(sampleFiles))
    it(`has ${path} as in the sample workspace`, async () => {
      const folder = join(projectFolder, 'test/fixtures/workspace');
      assert.equal(await readFile(join(folder, path), 'utf8'), text);
    });
});
