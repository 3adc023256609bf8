import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Attachment,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { parseInstructions } from '../../../../src/core/turn/instructionFile.ts';
import {
  foldersOf,
  scopeOfFolder,
  applicableInstructions,
  mostInstructionCharacters,
  mostInstructionFiles,
  pathsOfTurns,
  withoutRepeated,
} from '../../../../src/core/turn/instructionScope.ts';
import type { InstructionFile } from '../../../../src/core/turn/messagePieces.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { runs } from '../../../support/sample.ts';
import { turnWith } from '../../../support/turns.ts';

const ofGithub = { key: 'applyto', isForAll: false } as const;
const ofClaude = { key: 'paths', isForAll: true } as const;

const name = fc.constantFrom('a', 'b', 'c', '0', 'Z');
const folder = fc
  .array(name, { maxLength: 4 })
  .map((names) => names.map((name) => `${name}/`).join(''));
const path = fc.tuple(folder, fc.constantFrom('x.ts', 'y.py')).map((parts) => parts.join(''));
const glob = fc.constantFrom('**/*.ts', 'a/**', '*.py', 'b/*/x.ts', '**', '{a,b}/**/*.ts');

const folderFile = folder.map((below): InstructionFile => {
  const scope = scopeOfFolder(below, '');
  return { path: `${below}AGENTS.md`, text: below, ...(scope && { scope }) };
});
const globFile = fc.tuple(glob, fc.nat(9)).map(([applyTo, number]): InstructionFile => {
  const parsed = parseInstructions(`---\napplyTo: '${applyTo}'\n---\n${number}`, '', ofGithub);
  assert.ok(parsed);
  const { body: text, scope } = parsed;
  return { path: `.github/instructions/${number}.${applyTo}.md`, text, ...(scope && { scope }) };
});
const files = fc.uniqueArray(fc.oneof(folderFile, globFile), {
  selector: (file) => file.path,
  maxLength: 15,
});
const about = fc.array(fc.array(path, { maxLength: 3 }), { maxLength: 5 });

const pathsOf = (chosen: readonly InstructionFile[]): readonly string[] =>
  chosen.map((file) => file.path);

describe('applicableInstructions', () => {
  it('are those of the folders above the attached files, and no others', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(folderFile, { selector: (file) => file.path }),
        about,
        (all, of) => {
          const above = new Set([
            '',
            ...of.flat().flatMap((path) => foldersOf(path, '').map((at) => `${at}/`)),
          ]);
          const expected = all.filter(({ text }) => above.has(text)).map((file) => file.path);
          const chosen = pathsOf(applicableInstructions(all, of));
          assert.deepEqual([...chosen].sort(), expected.sort().slice(0, mostInstructionFiles));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('are ordered from outer to inner folders', () => {
    fc.assert(
      fc.property(files, about, (all, of) => {
        const chosen = applicableInstructions(all, of);
        for (const [index, { scope }] of chosen.entries()) {
          const inner = chosen.slice(0, index).map((file) => file.scope?.folder);
          const outer = scope?.folder ?? '';
          assert.ok(
            outer === '' || inner.every((folder) => folder?.startsWith(outer) !== true),
            outer,
          );
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('stay the same when a later message adds some, in whatever order they were found', () => {
    fc.assert(
      fc.property(files, about, fc.array(path), (all, of, later) => {
        const before = pathsOf(applicableInstructions(all, of));
        const after = pathsOf(applicableInstructions(all, [...of, later]));
        assert.deepEqual(after.slice(0, before.length), before);
        const always = all.filter(({ scope }) => scope === undefined);
        const reversed = [
          ...always,
          ...all.filter(({ scope }) => scope?.folder !== undefined).reverse(),
        ];
        const forward = [...always, ...all.filter(({ scope }) => scope?.folder !== undefined)];
        assert.deepEqual(
          pathsOf(applicableInstructions(reversed, of)),
          pathsOf(applicableInstructions(forward, of)),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('are limited in number and size', () => {
    const size = fc.nat(mostInstructionCharacters + 1);
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        const all = sizes.map((length, index) => ({
          path: String(index),
          text: 'x'.repeat(length),
        }));
        const chosen = applicableInstructions(all, []);
        assert.ok(chosen.length <= mostInstructionFiles);
        const sum = chosen.reduce((characters, { text }) => characters + text.length, 0);
        assert.ok(sum <= mostInstructionCharacters);
        const [first] = all;
        if (first !== undefined && first.text.length <= mostInstructionCharacters)
          assert.equal(chosen[0], first);
      }),
      { numRuns: runs(50) },
    );
  });
});

describe('parseInstructions', () => {
  const scopeFor = (applyTo: string, start = '') => {
    const parsed = parseInstructions(`---\napplyTo: ${applyTo}\n---\nBe kind.`, start, ofGithub);
    assert.equal(parsed?.body, 'Be kind.');
    return (path: string): boolean => parsed.scope?.has(path) ?? true;
  };

  it('reads globs with commas, relative to the folder of the workspace', () => {
    const has = scopeFor("'src/**/*.{ts,tsx}, docs/*.md'");
    for (const path of ['src/a.ts', 'src/b/c.tsx', 'docs/a.md']) assert.ok(has(path), path);
    for (const path of ['a.ts', 'docs/b/a.md', 'lib/src/a.ts']) assert.ok(!has(path), path);
    const inFolder = scopeFor('"*.py"', 'tools/');
    assert.ok(inFolder('tools/deep/a.py') && !inFolder('other/a.py'));
  });

  it('applies to no file outside the workspace', () => {
    const has = scopeFor("'**/*.ts'");
    for (const path of ['/tmp/a.ts', 'c:/a.ts', 'vscode-vfs://x/a.ts']) assert.ok(!has(path), path);
  });

  it('applies to nothing without globs', () => {
    for (const text of ['Be kind.', '---\ndescription: x\n---\nBe kind.', '---\napplyTo: "**"\n']) {
      assert.equal(parseInstructions(text, '', ofGithub), undefined);
    }
  });

  it('reads the paths of a rule as a glob, a list, or globs with commas, quoted or not', () => {
    const fronts = [
      'paths: src/**/*.{ts,tsx}',
      'paths: "src/**/*.{ts,tsx}"',
      'paths: **/*.ts, src/**/*.tsx',
      'paths: {src,lib}/**/*.ts, src/**/*.tsx',
      'paths: ["src/**/*.ts", "src/**/*.tsx"]',
      'paths:\n  - "src/**/*.ts"\n  - "src/**/*.tsx"',
      'paths:\n  - **/*.ts\n  - src/**/*.tsx',
    ];
    for (const front of fronts) {
      const parsed = parseInstructions(`---\n${front}\n---\n\nBe kind.\n`, '', ofClaude);
      assert.equal(parsed?.body, 'Be kind.', front);
      for (const path of ['src/a.ts', 'src/b/c.tsx']) assert.equal(parsed.scope?.has(path), true);
      for (const path of ['src/a.py', 'docs/a.tsx']) assert.equal(parsed.scope?.has(path), false);
    }
  });

  it('applies a rule without paths to all files, whatever else it says', () => {
    for (const text of [
      'Be kind.',
      '---\nglobs: "*.ts"\n---\nBe kind.',
      '---\npaths: []\n---\nBe kind.',
    ])
      assert.deepEqual(parseInstructions(text, '', ofClaude), { body: 'Be kind.' });
  });
});

describe('withoutRepeated', () => {
  const scope = { has: () => true };
  const file = (
    path: string,
    text: string,
    scoped?: InstructionFile['scope'],
  ): InstructionFile => ({
    path,
    text,
    ...(scoped && { scope: scoped }),
  });
  const inA = scopeOfFolder('a/', '');

  it('sends a text for the same folder once, and no file that only names another one', () => {
    const kept = [
      file('AGENTS.md', 'Use tabs.\n'),
      file('a/CLAUDE.md', 'Use tabs.', inA),
      file('b/CLAUDE.md', '@AGENTS.md\n\nAnd be kind.', scopeOfFolder('b/', '')),
    ];
    const dropped = [
      file('CLAUDE.md', 'Use tabs.'),
      file('a/AGENTS.md', '@CLAUDE.md', inA),
      file('c/CLAUDE.md', '@./AGENTS.md\n', scopeOfFolder('c/', '')),
      file('d/CLAUDE.md', 'AGENTS.md', scopeOfFolder('d/', '')),
      file('.claude/CLAUDE.md', '@../AGENTS.md'),
      file('e/CLAUDE.md', ' \n', scopeOfFolder('e/', '')),
    ];
    assert.deepEqual(withoutRepeated([...kept, ...dropped]), kept);
  });

  it('sends rules with globs although they have the same text, but no file twice', () => {
    const rules = [file('a.md', 'Use tabs.', scope), file('b.md', 'Use tabs.', scope)];
    assert.deepEqual(withoutRepeated([...rules, file('a.md', 'Use tabs.', inA)]), rules);
  });
});

describe('foldersOf', () => {
  it('are the folders above a file of the workspace folder, outer first', () => {
    assert.deepEqual(foldersOf('a/b/c.ts', ''), ['a', 'a/b']);
    assert.deepEqual(foldersOf('root/a/b/', 'root/'), ['a', 'a/b']);
    for (const path of ['c.ts', '../a/c.ts', 'a/../b/c.ts', 'a//c.ts', '/tmp/a/c.ts', 'c:/a/c.ts'])
      assert.deepEqual(foldersOf(path, ''), [], path);
    assert.deepEqual(foldersOf('other/a/c.ts', 'root/'), []);
  });
});

describe('a request with instruction files', () => {
  const attached = (of: string): Attachment => ({
    id: of,
    name: of,
    path: of,
    kind: 'file',
    language: '',
    text: 'code',
  });
  const turn = (id: string, paths: readonly string[]): Turn =>
    turnWith({
      id,
      question: { text: id, attachments: paths.map(attached) },
      parts: [{ type: 'text', text: 'ok' }],
    });
  const all = ['', 'a/', 'b/'].map((below): InstructionFile => {
    const scope = scopeOfFolder(below, '');
    return { path: `${below}AGENTS.md`, text: `MARK ${below}`, ...(scope && { scope }) };
  });
  const settings = { instructions: 'Mine.', stream: true, options: {}, files: all };
  const conversation = { ...emptyConversation('c'), turns: [turn('1', ['a/x.ts'])] };

  const marksOf = (turns: readonly Turn[], next: Turn): readonly string[] =>
    buildRequest({ ...conversation, turns }, { ...next, parts: [] }, settings).messages.map(
      ({ role, content }) => `${role} ${(content ?? '').match(/MARK.*|\d$/g)?.join(' ') ?? ''}`,
    );

  it('contains each with the first message that needs it, before the text', () => {
    assert.deepEqual(marksOf(conversation.turns, turn('2', ['b/y.ts', 'a/z.ts'])), [
      ...['system ', 'user MARK  MARK a/ 1', 'assistant ', 'user MARK b/ 2'],
    ]);
  });

  it('contains those of messages that are not sent with the next one that is', () => {
    const unsent = { ...turn('1', ['a/x.ts']), parts: [] };
    assert.deepEqual(marksOf([unsent, turn('2', [])], turn('3', ['b/y.ts'])), [
      ...['system ', 'user MARK  MARK a/ 2', 'assistant ', 'user MARK b/ 3'],
    ]);
  });

  it('contains instructions for files, but not for problems or pasted text', () => {
    const pasted: Attachment = { ...attached('Pasted'), kind: 'pasted' };
    const question = { text: '', attachments: [pasted, attached('a/x.ts')] };
    assert.deepEqual(pathsOfTurns(conversation.turns, { question }), [['a/x.ts'], ['a/x.ts']]);
  });
});
