import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyMessages } from '../../../../src/core/code/codePrompt.ts';
import { replyToEdit } from '../../../../src/local/demo/edits.ts';
import { readEditRequest } from '../../../../src/local/demo/requests.ts';
import { createService } from '../../../../src/local/service.ts';
import { projectFolder } from '../../../support/paths.ts';
import { runCommand } from '../../../support/runCommand.ts';
import { runs } from '../../../support/sample.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { complete } from '../serviceRequests.ts';
import {
  edited,
  english,
  requestMessages,
  report,
  reportTests,
  taskOf,
  temperature,
  testsFor,
} from './demoEdits.ts';

const { otherCodeComment } = english.texts.general;
const typescript = { path: 'src/temperature.ts', language: 'typescript', text: temperature };
const python = { path: 'server/report.py', language: 'python', text: report };

const fixedAverage = temperature.replace(
  'average(): number {\n',
  'average(): number | undefined {\n    if (this.#readings.length === 0) return undefined;\n',
);

describe('a command on the sample in the demo', () => {
  it('fixes the average of no readings, and columns with long names', () => {
    assert.equal(edited({ ...typescript, task: taskOf('fix') }), fixedAverage);
    const fixed = edited({ ...python, task: taskOf('fix') }) ?? '';
    assert.match(fixed, /width = max\(\[12, .*\]\)\n {4}lines = .*:<\{width\}\}/);
    assert.equal(edited({ ...typescript, task: 'Fix this, please' }), fixedAverage);
  });

  it('improves and documents known code', () => {
    const improved = edited({ ...typescript, task: taskOf('improve') }) ?? '';
    assert.match(improved, /if \(celsius < 28\) return 'warm';\n {2}return 'hot';\n\}/);
    assert.match(edited({ ...python, task: taskOf('improve') }) ?? '', /slots=True/);
    const documented = edited({ ...typescript, task: 'document this', start: 7, end: 10 }) ?? '';
    assert.match(documented, /\n\n\/\*\* Converts degrees Celsius.* \*\/\nexport function toF/);
    assert.equal(documented.split('/**').length, temperature.split('/**').length + 1);
    const docstrings = edited({ ...python, task: taskOf('document') }) ?? '';
    assert.equal(docstrings.split('"""').length, report.split('"""').length + 6);
  });

  it('changes only the selected code', () => {
    const outside = { ...typescript, task: taskOf('fix'), start: 7, end: 10 };
    assert.equal(edited(outside), temperature);
  });

  it('keeps line endings', () => {
    const text = temperature.replaceAll('\n', '\r\n');
    const fixed = edited({ ...typescript, text, task: taskOf('fix') });
    assert.equal(fixed, fixedAverage.replaceAll('\n', '\r\n'));
  });

  it('does not change code twice, or code that was edited', () => {
    for (const sample of [typescript, python]) {
      for (const name of ['fix', 'improve', 'document'] as const) {
        const task = taskOf(name);
        const once = edited({ ...sample, task });
        assert.ok(once !== undefined && once !== sample.text);
        assert.equal(edited({ ...sample, text: once, task }), once, `${sample.path}: ${name}`);
      }
    }
    const text = temperature.replace('average(): number {', 'average(digits: number): number {');
    assert.equal(edited({ ...typescript, text, task: taskOf('fix') }), text);
    const commented = temperature.replace('export function to', '/** Mine. */\nexport function to');
    const above = { ...typescript, text: commented, task: taskOf('document') };
    assert.equal(edited({ ...above, start: 8, end: 11 }), commented);
  });

  it("explains what it can't do", () => {
    assert.equal(edited({ ...typescript, task: 'Make it faster' }), undefined);
    const messages = requestMessages(applyMessages({ ...typescript, code: 'x' }, ''));
    const request = readEditRequest(messages);
    assert.ok(request);
    assert.equal(replyToEdit(request, english), english.texts.edits.noPlace);
  });

  it('replies with code with and without thinking', async () => {
    for (const model of ['mistral/mistral-small', 'deepseek/reasoner', 'qwen/thinker-32b']) {
      const messages = [
        {
          role: 'system',
          content: 'You are Aside, a coding assistant in VS Code. You rewrite one piece of a file.',
        },
        {
          role: 'user',
          content: `src/temperature.ts, the piece to rewrite, lines 1-29:\n\`\`\`typescript\n${temperature}\`\`\`\n\nTask: fix it`,
        },
      ];
      const { content } = await complete(createService({ pace: 0 }), { messages, model });
      assert.ok(content.includes(`\`\`\`typescript\n${fixedAverage}\`\`\``), content);
    }
  });
});

describe('tests that the demo writes for its sample', () => {
  it('pass, before and after the fix', async () => {
    const folder = await TemporaryFolder.create();
    try {
      await mkdir(join(folder.path, 'src'));
      await mkdir(join(folder.path, 'test'));
      const file = join(folder.path, 'src/temperature.ts');
      const path = 'test/temperature.test.ts';
      await copyFile(join(projectFolder, 'test/fixtures/workspace/src/temperature.ts'), file);
      await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
      await writeFile(join(folder.path, path), testsFor(typescript, { path }) ?? '');
      for (const text of [temperature, fixedAverage]) {
        await writeFile(file, text);
        const command = { folder: folder.path, quiet: true };
        assert.equal(await runCommand(process.execPath, [path], command), 0);
      }
    } finally {
      await folder.dispose();
    }
  });

  it('are added to the tests of the report once', () => {
    const file = { path: 'server/test_report.py', text: reportTests };
    const tests = testsFor(python, file) ?? '';
    assert.match(tests, /import Day, report, spread\n[^]*class SpreadTest[^]*\n\n\nif __name__/);
    assert.equal(testsFor(python, { ...file, text: tests }), tests);
    assert.equal(testsFor(python, { path: file.path }), reportTests);
  });

  it('keep existing tests', () => {
    const file = { path: 'src/temperature.test.ts', text: 'test();\n' };
    assert.equal(testsFor(typescript, file), file.text);
  });

  it('are only a comment for other code', () => {
    const code = { path: 'a.go', language: 'go', text: 'package a\n' };
    assert.equal(testsFor(code, { path: 'a_test.go' }), `// ${otherCodeComment}\n`);
    const file = { path: 'a_test.go', text: 'package a\n' };
    assert.equal(testsFor(code, file), `// ${otherCodeComment}\npackage a\n`);
  });
});

describe('a command on other code in the demo', () => {
  const languages = {
    typescript: '// ?',
    python: '# ?',
    sql: '-- ?',
    clojure: '; ?',
    latex: '% ?',
    html: '<!-- ? -->',
    markdown: '<!-- ? -->',
    typescriptreact: '// ?',
    yaml: '# ?',
    css: '/* ? */',
  };
  const commentOf = (language: string): string =>
    (Object.entries(languages).find(([id]) => id === language)?.[1] ?? '').replace(
      '?',
      otherCodeComment,
    );
  const line = fc.oneof(
    fc.constantFrom('', '  ', '\tif (a) {', '#!/bin/sh', '<?php', '<!doctype html>', '```', '"""'),
    fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')),
  );
  const tasks = fc.constantFrom(
    ...(['fix', 'improve', 'document'] as const).map(taskOf),
    'Sort the imports',
  );

  it('adds one comment, and changes nothing else', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(languages)),
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.nat(),
        fc.nat(),
        tasks,
        (language, lines, end, first, length, task) => {
          const text = lines.map((code) => code + end).join('');
          const start = first % lines.length;
          const last = Math.min(lines.length, start + 1 + (length % lines.length));
          const isBlank = lines.slice(start, last).every((code) => code.trim() === '');
          fc.pre(!isBlank);
          const after = edited({ path: 'a.x', language, text, task, start, end: last });
          assert.ok(after !== undefined);
          const result = after.split('\n');
          const at = result.findIndex((code) => code.trim() === commentOf(language));
          assert.ok(at >= start && at <= last, after);
          result.splice(at, 1);
          assert.equal(result.join('\n'), text);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('inserts the comment after a required first line, indented like the code', () => {
    const task = taskOf('fix');
    const script = { path: 'a.py', language: 'python', text: '#!/usr/bin/python\n\tf()\n', task };
    assert.equal(edited(script), `#!/usr/bin/python\n\t# ${otherCodeComment}\n\tf()\n`);
  });

  it('explains itself if the language has no known comments', () => {
    for (const language of ['json', 'plaintext', '', 'nonsense', 'constructor'])
      assert.equal(edited({ path: 'a.x', language, text: '{}\n', task: taskOf('fix') }), undefined);
  });

  it('treats a file with only the name of a sample file as other code', () => {
    const text = 'def report():\n    pass\n';
    const after = edited({ path: 'report.py', language: 'python', text, task: taskOf('fix') });
    assert.equal(after, `# ${otherCodeComment}\n${text}`);
  });
});
