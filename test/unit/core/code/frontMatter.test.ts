import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import {
  listOf,
  parseClaudeAgent,
  parsePreset,
  parsePromptFile,
  readFrontMatter,
  textOf,
} from '../../../../src/core/code/frontMatter.ts';
import { runs } from '../../../support/sample.ts';

type Value = Parameters<typeof textOf>[0];

/** The value of a key in front matter, and the text after it. */
function valueOf(front: string, key = 'description'): Value {
  const file = readFrontMatter(`---\n${front}\n---\nbody`);
  assert.ok('body' in file);
  assert.equal(file.body, 'body');
  return file.fields.get(key);
}

describe('front matter', () => {
  it('has what YAML says, and scalars as they are written', () => {
    const cases: readonly (readonly [front: string, text: string])[] = [
      ['description: Use for x\n  and y, not\n  for z.', 'Use for x and y, not for z.'],
      ['description: "Use for x\n  and y."', 'Use for x and y.'],
      ['description:\n  Use for x.', 'Use for x.'],
      ['description: >2-\n  Use for x.\n  ---\n  Or y.', 'Use for x. --- Or y.'],
      ['description: |-\n  Use: x\n  or y', 'Use: x\nor y'],
      ['"description" : Use for x. # why', 'Use for x.'],
      ['DESCRIPTION:\tUse\tx', 'Use\tx'],
      ["description: 'It''s \\d'", "It's \\d"],
      ['description: "A\\u00e9"', 'Aé'],
      ['description: 1.0', '1.0'],
      ['description: yes', 'yes'],
      ['description: [a, b]', 'a, b'],
      ['text: &x Use x\ndescription: *x', 'Use x'],
      ['description:', ''],
      ['description: ~', ''],
      ['description: {a: b}', ''],
      ['description: a\ndescription: b', 'b'],
      ['description: a\nDescription:', ''],
      ['__proto__: {description: a}', ''],
      ['', ''],
    ];
    for (const [front, text] of cases) assert.equal(textOf(valueOf(front)), text, front);
  });

  it('has the literal text of a value that YAML refuses', () => {
    const cases: readonly (readonly [written: string, text: string])[] = [
      ['Use when: x is asked', 'Use when: x is asked'],
      ['Use when x.\n  Examples: y\n\n  # Not this.\n  Or: z', 'Use when x. Examples: y Or: z'],
      ['"Use when it says "fix it", or "do it"."', 'Use when it says "fix it", or "do it".'],
      ["'Don't use'", "Don't use"],
      ['"matches \\d+ digits"', 'matches \\d+ digits'],
      ['[DEPRECATED] Use /other instead', '[DEPRECATED] Use /other instead'],
      ['`code` first', '`code` first'],
      ['@scope/name', '@scope/name'],
      ['- dash', '- dash'],
      ['!important', '!important'],
      ['!!js/function x', '!!js/function x'],
      ['*.ts # TypeScript', '*.ts'],
      ['>\n\tUse when: x', 'Use when: x'],
    ];
    for (const [written, text] of cases) {
      const front = `before: 'a'\ndescription: ${written}\nafter: [b]`;
      assert.equal(textOf(valueOf(front)), text, written);
      assert.equal(textOf(valueOf(front, 'before')), 'a', written);
      assert.deepEqual(listOf(valueOf(front, 'after')), ['b'], written);
    }
  });

  it('has lists in brackets, in lines or with commas, as YAML or as literal text', () => {
    const cases: readonly (readonly [written: string, items: readonly string[]])[] = [
      ["[x, 'y, z']", ['x', 'y, z']],
      ["[\n  'a',\n  'b',\n]", ['a', 'b']],
      ["\n  ['a', 'b']", ['a', 'b']],
      ['\n- p # why\n- q', ['p', 'q']],
      ['Read, Grep', ['Read', 'Grep']],
      ['"**/*.ts,\n  **/*.tsx"', ['**/*.ts', '**/*.tsx']],
      ['**/*.{ts,{js,jsx}}, test/**', ['**/*.{ts,{js,jsx}}', 'test/**']],
      ['**/*.cs, **/*.razor', ['**/*.cs', '**/*.razor']],
      ["'**/*.ts', '**/*.tsx'", ['**/*.ts', '**/*.tsx']],
      ['[**/*.java, "src/**"]', ['**/*.java', 'src/**']],
      ['\n  - **/*.ts\n  - "**/*.tsx"\n  - a # why', ['**/*.ts', '**/*.tsx', 'a']],
      ['\n\t- read\n\t- edit', ['read', 'edit']],
      ['[read, @scope/tool, mcp/*]', ['read', '@scope/tool', 'mcp/*']],
      ['Bash(git add:*, git commit:*), Read', ['Bash(git add:*, git commit:*)', 'Read']],
      ['[]', []],
      ['', []],
    ];
    for (const [written, items] of cases)
      assert.deepEqual(listOf(valueOf(`tools: ${written}\nname: b`, 'tools')), items, written);
  });

  it('tells an empty list from an empty value', () => {
    assert.notEqual(valueOf('tools: []', 'tools'), undefined);
    for (const empty of ['tools:', 'tools: ""', 'tools: null'])
      assert.equal(valueOf(empty, 'tools'), undefined, empty);
  });

  it('keeps any text that YAML writes, whatever else is not YAML', () => {
    const key = fc.constantFrom('a', 'b', 'c-d');
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.boolean(), (values, isBroken) => {
        const front = `${stringify(values, { flowCollectionPadding: false })}${isBroken ? 'x: y: z\n' : ''}`;
        for (const [name, written] of Object.entries(values)) {
          const isEmpty = written === '';
          assert.deepEqual(valueOf(front, name), isEmpty ? undefined : written, front);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('begins with the first line of the file, and ends with a line of dashes', () => {
    const plain = readFrontMatter('\ufeffbody\n---\n');
    assert.equal('body' in plain && plain.body, 'body\n---\n');
    assert.deepEqual(readFrontMatter('---\nname: a\n'), { problem: 'front matter' });
    const windows = readFrontMatter('\ufeff--- \r\nname: a\r\n--- \r\nbody\r\n---\r\n');
    assert.ok('body' in windows);
    assert.equal(windows.body, 'body\n---\n');
    assert.equal(windows.fields.get('name'), 'a');
  });

  it('is refused if it is too long', () => {
    assert.deepEqual(readFrontMatter(`---\na: ${'x'.repeat(20_000)}\n---\n`), {
      problem: 'too long',
    });
  });

  const most = 19_000;
  const repeated = (text: string): string => text.repeat(most / text.length);
  const numbered = (line: (index: number) => string): string =>
    Array.from({ length: most / 12 }, (_, index) => line(index)).join('\n');
  const hostile: Readonly<Record<string, string>> = {
    brackets: `a: ${repeated('[')}`,
    maps: `a: ${repeated('{a: ')}`,
    'lists in lists': repeated('- '),
    'keys of keys': repeated('? '),
    'empty keys': repeated(': '),
    'colons in a line': `a: ${repeated('b: ')}`,
    lines: `a: |\n${repeated(' a\n')}`,
    items: `a:\n${repeated('- a\n')}`,
    keys: numbered((index) => `k${index}:`),
    'keys without colons': `${numbered((index) => `k${index}:`)}\nx: y: z`,
    blanks: `a: x${repeated(' ')}y`,
    'blanks before a line': `${repeated(' ')}x`,
    'blanks of an item': `a:\n- x${repeated(' ')}y: z: z`,
    'comment signs': `a: b: x${repeated(' #')}`,
    quotes: `a: '${repeated("''")}`,
    'quoted items': `a: b: ${repeated('"a",')}!`,
    escapes: `a: "${repeated('\\n')}`,
    circles: 'a: &a [*a]',
    anchors: numbered((index) => `k${index}: &a x`),
    'aliases of one text': `a: &a x\n${numbered((index) => `k${index}: *a`)}`,
    'aliases of aliases': `k0: &k0 [x]\n${numbered((index) => `k${index + 1}: &k${index + 1} [*k${index},*k${index}]`)}`,
    commas: `a: [${repeated(',')}`,
    tabs: `a:\n${repeated('\t')}`,
    'tower of marks': `a: e${repeated('\u0301')}`,
  };
  for (const [what, front] of Object.entries(hostile))
    it(`is read fast, whatever it contains: ${what}`, () => {
      const start = performance.now();
      for (const key of ['a', 'k1', 'x']) {
        const value = valueOf(front.slice(0, 19_900), key);
        assert.ok(textOf(value).length + listOf(value).length <= 100_000);
      }
      const time = performance.now() - start;
      assert.ok(time < 5000, `${time} ms`);
    });

  it('accepts any text', () => {
    const signs = Array.from(':[]{},\'"a*&|>%!\t\\\n');
    const unit = fc.constantFrom(...signs, '---\n', '...\n', '- ', '? ', ' #');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const file = readFrontMatter(`---\n${text}\n---\n`);
        if ('problem' in file) return;
        for (const value of file.fields.values())
          assert.ok(textOf(value) !== '' || listOf(value).length === 0);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('parsePreset', () => {
  it('reads name, model, tools, options and instructions', () => {
    const text = [
      '---',
      "name: 'Reviewer'",
      'description: Looks at changes',
      'model: [large, small]',
      "tools: ['read_file', search_text]",
      'temperature: 0.2',
      'topP: 0.9',
      'maxTokens: 9000',
      'handoffs: []',
      '---',
      'Be strict.',
    ];
    assert.deepEqual(parsePreset('review.agent.md', text.join('\r\n')), {
      name: 'Reviewer',
      description: 'Looks at changes',
      model: 'large',
      tools: ['read_file', 'search_text'],
      options: { temperature: 0.2, topP: 0.9, maxTokens: 9000 },
      body: 'Be strict.',
    });
  });

  it('reads a file without front matter as a preset with its name and all tools', () => {
    const plain = { name: 'review', description: '', options: {}, body: 'Be strict.' };
    assert.deepEqual(parsePreset('review.agent.md', 'Be strict.\n'), plain);
    assert.deepEqual(parsePreset('a.agent.md', '---\ntools: []\n---\n')?.tools, []);
    assert.equal(parsePreset('a.agent.md', '---\ntools:\n---\n')?.tools, undefined);
  });

  it("ignores options that are out of range or aren't numbers", () => {
    for (const line of ['temperature: 3', 'topP: x', 'maxTokens: 1.5', 'maxTokens: 0', 'topP:']) {
      assert.deepEqual(parsePreset('a.agent.md', `---\n${line}\n---\n`)?.options, {}, line);
    }
  });

  it('returns undefined if the file is too long, or its front matter is not terminated', () => {
    assert.equal(parsePreset('a.agent.md', '---\nname: a\n'), undefined);
    assert.equal(parsePreset('a.agent.md', 'x'.repeat(100_001)), undefined);
  });
});

describe('parseClaudeAgent', () => {
  const agent = (front: string) =>
    parseClaudeAgent('reviewer.md', `---\ndescription: Reviews.\n${front}\n---\nBe strict.`);

  it('reads name, description, model and instructions', () => {
    assert.deepEqual(agent('name: code-reviewer\nmodel: opus\ncolor: red\npermissionMode: plan'), {
      name: 'code-reviewer',
      description: 'Reviews.',
      model: 'opus',
      options: {},
      body: 'Be strict.',
    });
    assert.equal(agent('')?.name, 'reviewer');
    assert.equal(agent('model: inherit')?.model, undefined);
  });

  it('has the tools that do here what those of Claude Code do, and ignores others', () => {
    const cases: readonly (readonly [tools: string, known: readonly string[] | undefined])[] = [
      ['Glob, Grep, LS, Read, TodoWrite', ['list_files', 'search_text', 'read_file']],
      ['[Edit, MultiEdit, Write]', ['edit_file', 'create_file']],
      ['AskUserQuestion', ['ask_user']],
      ['Read, Bash(git:*), Bash(npm run test, npm run lint)', ['read_file', 'run_command']],
      ['WebFetch, mcp__github__create_issue', []],
      ["'*'", undefined],
      ['', undefined],
    ];
    for (const [tools, known] of cases)
      assert.deepEqual(agent(`tools: ${tools}`)?.tools, known, tools);
  });

  it('is no agent without a description, such as a README', () => {
    for (const text of ['# Agents', '---\nname: a\n---\nBe strict.', '---\ndescription: open'])
      assert.equal(parseClaudeAgent('README.md', text), undefined, text);
  });
});

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
});
