import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ParsedPreset } from '../../../../src/core/code/frontMatter.ts';
import { hashOf } from '../../../../src/core/support/id.ts';
import { revealInvisible } from '../../../../src/core/support/text.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** Fake of VS Code with a workspace in memory, which records the files that were read. */
const vscode = `
  export const l10n = { t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (all, index) => values[index] ?? all) };
  export class FileSystemError extends Error { code = 'FileNotFound'; }
  export const SymbolKind = {};
  export const FileType = { File: 1, Directory: 2, SymbolicLink: 64 };
  export class Uri {
    static from(parts) { return Object.assign(new Uri(), { scheme: 'file', authority: '' }, parts); }
    static joinPath(uri, ...names) { return Uri.from({ path: [uri.path, ...names].join('/') }); }
    toString() { return 'file://' + this.path; }
  }
  const folder = { name: 'w', uri: Uri.from({ path: '/w' }) };
  export const files = new Map();
  export const read = [];
  const there = async ({ path }) => {
    if (files.has(path)) return { type: 1, size: files.get(path).length };
    if ([...files.keys()].some((name) => name.startsWith(path + '/'))) return { type: 2, size: 0 };
    throw new FileSystemError();
  };
  export const workspace = {
    isTrusted: true,
    workspaceFolders: [folder],
    getWorkspaceFolder: (uri) => (uri.path.startsWith('/w/') ? folder : undefined),
    asRelativePath: (uri) => uri.path.replace('/w/', ''),
    fs: {
      stat: there,
      async readDirectory({ path }) {
        return [...files.keys()]
          .filter((name) => name.startsWith(path + '/'))
          .map((name) => [name.slice(path.length + 1), 1]);
      },
      async readFile(uri) {
        await there(uri);
        read.push(uri.path);
        return files.get(uri.path);
      },
    },
  };
`;

const { PromptFiles, Presets, files, read, storage } = await withFakeVsCode(vscode, async () => {
  const { PromptFiles } = await import('../../../../src/host/editor/promptFiles.ts');
  const { Presets } = await import('../../../../src/host/context/presets.ts');
  const fake = await import('vscode');
  const files: unknown = Reflect.get(fake, 'files');
  const read: unknown = Reflect.get(fake, 'read');
  assert.ok(isFiles(files) && isList(read));
  const storage = fake.Uri.from({ scheme: 'file', path: '/s' });
  return { PromptFiles, Presets, files, read, storage };
});

function isFiles(value: unknown): value is Map<string, Uint8Array> {
  return value instanceof Map;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function prompts(): InstanceType<typeof PromptFiles> {
  return new PromptFiles(storage, new ManualClock());
}

function presets(): InstanceType<typeof Presets> {
  return new Presets(
    storage,
    { accept: () => Promise.resolve({}), known: () => Promise.resolve(undefined) },
    () => hashOf(new Uint8Array()),
    (text) => text,
  );
}

function put(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  files.set(path, bytes);
}

/** Text with invisible characters: bidi, zero-width, tags, fillers, selectors, controls. */
const hidden = fc
  .array(
    fc.constantFrom(
      ...['a', 'Z', 'é', ' ', '-', '\u{202e}', '\u{2066}', '\u{200b}', '\u{200d}', '\u{ad}'],
      ...['\u{e0001}', '\u{e0041}', '\u{e0100}', '\u{fe00}', '\u{3164}', '\u{115f}', '\u{2028}'],
      ...['\0', '\u{7}', '\u{1b}', '\u{85}', '👍', '\u{feff}'],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Fails unless all characters of the text are visible, on one line. */
function assertVisible(text: string): void {
  assert.equal(revealInvisible(text).count, 0, JSON.stringify(text));
  assert.doesNotMatch(text, /[\n\r\t]/);
}

const folders = {
  prompt: ['/w/.github/prompts', '/s/prompts'],
  agent: ['/w/.github/agents', '/s/agents'],
} as const;

describe('prompt files and presets with invisible text', () => {
  beforeEach(() => {
    files.clear();
    read.length = 0;
  });

  it('show all of their names, descriptions and sent prompts', async () => {
    const anyFile = fc.record({ name: hidden, front: hidden, body: hidden, isOwn: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(anyFile, async ({ name, front, body, isOwn }) => {
        files.clear();
        const text = `---\nname: ${front}\ndescription: ${front}\n---\nb ${body} b`;
        const index = isOwn ? 1 : 0;
        const fileName = name.replaceAll('\0', '');
        put(`${folders.prompt[index]}/${fileName}.prompt.md`, text);
        put(`${folders.agent[index]}/${fileName}.agent.md`, text);
        const all = prompts();
        for (const prompt of await all.list()) {
          assertVisible(prompt.name);
          assertVisible(prompt.description);
          try {
            const content = await all.read(prompt);
            assert.equal(revealInvisible(content.text).count, 0);
          } catch (error) {
            assert.ok(error instanceof Error && error.constructor.name === UserError.name);
            assertVisible(error.message);
          }
        }
        for (const preset of await presets().list()) {
          assertVisible(preset.name);
          assertVisible(preset.description);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('give no command the name of another with an invisible character', async () => {
    for (const invisible of ['\u{3164}', '\u{fe00}', '\u{e0100}', '\u{200b}', '\u{e0041}'])
      put(`/w/.github/prompts/fix${invisible}.prompt.md`, 'Do something else.');
    const all = prompts();
    for (const prompt of await all.list()) {
      assert.match(prompt.name, /^fix\\u\{/);
      await assert.rejects(all.read(prompt), /can't be typed as a command/);
    }
  });

  it('are not read if they are too large, and refused with the reason', async () => {
    put('/w/.github/prompts/large.prompt.md', 'x'.repeat(10_000_000));
    put('/w/.github/agents/large.agent.md', 'x'.repeat(10_000_000));
    put('/w/.github/prompts/lines.prompt.md', 'x\n'.repeat(100_000));
    put('/w/.github/prompts/nul.prompt.md', 'Review\0 this.');
    put('/w/.github/prompts/bytes.prompt.md', Uint8Array.of(0x52, 0xff, 0xfe, 0x80));
    const all = prompts();
    assert.deepEqual(await presets().list(), []);
    const problems = { large: 'is too long', lines: 'is too long', nul: "can't be read as text" };
    const reasons = new Map(Object.entries({ ...problems, bytes: problems.nul }));
    const listed = await all.list();
    assert.deepEqual(new Set(listed.map(({ name }) => name)), new Set(reasons.keys()));
    for (const prompt of listed)
      await assert.rejects(
        all.read(prompt),
        new RegExp(`${prompt.name}\\.prompt\\.md ${reasons.get(prompt.name)}`),
      );
    assert.equal(
      read.some((path) => String(path).includes('large')),
      false,
    );
  });

  it('choose nothing without asking the person', async () => {
    const wider = [
      ...['tools: [run_command, other_tool]', 'approval: never', 'approvals: all', 'grant: chat'],
      ...['withoutTools: false', 'askAll: false', 'isOwn: true', '__proto__: {"isOwn":true}'],
      ...['constructor: x', 'baseUrl: https://evil.test', 'workspace: other', 'model: dear'],
    ];
    const text = ['---', ...wider, '---', 'Review this.'].join('\n');
    put('/w/.github/prompts/a.prompt.md', text);
    put('/w/.github/agents/a.agent.md', text);
    const path = '.github/prompts/a.prompt.md';
    const [prompt] = await prompts().list();
    assert.ok(prompt);
    assert.deepEqual(await prompts().read(prompt), {
      text: 'Review this.',
      isEdit: false,
      offer: { path, text, isOwn: false, model: 'dear' },
    });
    const [preset] = await presets().list();
    const known: (keyof ParsedPreset)[] = ['name', 'description', 'model', 'tools', 'options'];
    const names = [...known, 'body', 'isOwn', 'path', 'workspace', 'uri', 'detail', 'text'];
    assert.deepEqual(new Set(Object.keys(preset ?? {})), new Set(names));
    assert.deepEqual([preset?.isOwn, preset?.options], [false, {}]);
  });
});
