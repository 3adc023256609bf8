import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePromptFile } from '../../../../src/core/code/frontMatter.ts';

const plain = { name: 'a', description: '', mode: 'ask' };

describe('parsePromptFile', () => {
  it('reads a prompt without front matter', () => {
    assert.deepEqual(parsePromptFile('a.prompt.md', '\nReview this.\n'), {
      ...plain,
      body: 'Review this.',
    });
  });

  it('reads the known keys of front matter, and ignores those that would grant rights', () => {
    const text = [
      '---',
      "description: 'It''s a review' # shown",
      'mode: Agent',
      'model: "vendor/model"',
      'tools: [run_command]',
      'tools:',
      '  - edit_file',
      'description.evil: x',
      '---',
      '# Review',
      '---',
      'Say what is wrong.',
    ];
    for (const lineEnd of ['\n', '\r\n']) {
      const read = parsePromptFile('Code Review.prompt.md', `\ufeff${text.join(lineEnd)}`);
      assert.deepEqual(read, {
        name: 'Code-Review',
        description: "It's a review",
        mode: 'agent',
        model: 'vendor/model',
        body: '# Review\n---\nSay what is wrong.',
      });
    }
  });

  it('uses Ask for an unknown mode', () => {
    for (const [field, mode] of [
      ['mode: edit', 'edit'],
      ['agent: agent', 'agent'],
      ['mode: constructor', 'ask'],
      ['mode: # nothing', 'ask'],
    ]) {
      const read = parsePromptFile('a.md', `---\n${field ?? ''}\n---\nb`);
      assert.deepEqual(read, { ...plain, mode, body: 'b' });
    }
  });

  it('reports the problem of an invalid file', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['.prompt.md', 'a', 'name'],
      ['../a.prompt.md', 'a', 'name'],
      ['-a.prompt.md', 'a', 'name'],
      ['a.prompt.md', '---\nmode: edit\n', 'front matter'],
      ['a.prompt.md', '', 'empty'],
      ['a.prompt.md', '---\nmode: edit\n---\n \n', 'empty'],
      ['a.prompt.md', 'a'.repeat(100_001), 'too long'],
    ];
    for (const [name, text, problem] of cases) {
      const read = parsePromptFile(name, text);
      assert.equal('problem' in read ? read.problem : undefined, problem, name);
    }
  });

  it('accepts any text', () => {
    const line = fc.constantFrom('---', 'mode: edit', 'a: "', "b: ''", '#', 'words', '');
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        const read = parsePromptFile('a.prompt.md', lines.join('\n'));
        if (!('problem' in read)) assert.ok(lines.join('\n').includes(read.body));
      }),
    );
  });
});
