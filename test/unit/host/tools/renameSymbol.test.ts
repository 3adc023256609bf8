import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Editing } from '../../../../src/host/tools/editing.ts';
import { GrantingGate, toolContext } from '../../../support/grantingGate.ts';
import { runs } from '../../../support/sample.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { createRig, edit } from './rig.ts';

/** A window with `/w/main.ts` open, and a language extension whose proposal the test sets. */
const vscode = `
  export const l10n = { t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (all, index) => values[index] ?? all) };
  export class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
  export class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
  export class FileSystemError extends Error {}
  export class Uri {
    static from(parts) { return Object.assign(new Uri(), parts); }
    toString() { return this.scheme + '://' + this.authority + this.path; }
  }
  const uri = (path) => Uri.from({ scheme: 'file', authority: '', path });
  const folder = { name: 'w', uri: uri('/w') };
  const isInside = ({ path }) => path.startsWith('/w/');
  export const workspace = {
    textDocuments: [{ uri: uri('/w/main.ts'), isClosed: false, getText: () => 'old\\n' }],
    notebookDocuments: [],
    workspaceFolders: [folder],
    getWorkspaceFolder: (uri) => (isInside(uri) ? folder : undefined),
    asRelativePath: (uri) => (isInside(uri) ? uri.path.slice(3) : uri.path),
  };
  let entries = [];
  export const propose = (files) => {
    entries = files.map(({ scheme, path, edits }) => [
      Uri.from({ scheme, authority: '', path }),
      edits.map(({ line, start, end, text }) => ({
        range: new Range(new Position(line, start), new Position(line, end)),
        newText: text,
      })),
    ]);
  };
  export const commands = {
    executeCommand: async (name) =>
      name === 'vscode.executeDocumentRenameProvider' ? { entries: () => entries } : undefined,
  };
`;

/** A language extension's edits of one file. */
interface Proposal {
  readonly scheme: string;
  readonly path: string;
  readonly edits: readonly {
    readonly line: number;
    readonly start: number;
    readonly end: number;
    readonly text: string;
  }[];
}

const { renameSymbolTool, propose } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/tools/renameSymbol.ts');
  const propose: unknown = Reflect.get(await import('vscode'), 'propose');
  assert.ok(isFunction(propose));
  return { ...loaded, propose };
});

function isFunction(value: unknown): value is (files: readonly Proposal[]) => void {
  return typeof value === 'function';
}

/** Renames the first word of a file. */
function renameEdit(path: string, scheme = 'file'): Proposal {
  return { scheme, path, edits: [{ line: 0, start: 0, end: 3, text: 'fresh' }] };
}

type Window = ReturnType<typeof windowWith>;

/** A workspace in `/w`, with files inside and outside. */
function windowWith(paths: readonly string[]) {
  const rig = createRig();
  const gate = new GrantingGate((path) => {
    return { scheme: 'file', authority: '', path: path.startsWith('/') ? path : `/w/${path}` };
  });
  for (const path of ['/w/main.ts', ...paths]) rig.texts.files.set(path, 'old\n');
  const editing = new Editing(gate, rig.readFile, rig.changes);
  return {
    ...rig,
    gate,
    editing,
    rename: (proposals: readonly Proposal[]): Promise<unknown> => {
      propose(proposals);
      const call = { path: 'main.ts', line: 1, symbol: 'old', new_name: 'fresh' };
      return renameSymbolTool(editing).prepare(call).run(toolContext());
    },
  };
}

const paths = [
  ...['/w/a.ts', '/w/src/b.ts', '/w/.env', '/w/.git/config', '/w/.vscode/tasks.json'],
  ...['/etc/passwd', '/home/me/.bashrc', '/w/../outside.ts'],
];

describe('rename_symbol with any proposal of a language extension', () => {
  it('passes each file through the gate as edit_file does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(paths, { minLength: 1 }), async (files) => {
        const renaming = windowWith(paths);
        await renaming.rename(files.map((path) => renameEdit(path)));
        const editing = windowWith(paths);
        const labels = files.map((path) => path.replace(/^\/w\//, ''));
        for (const path of labels) await edit(editing, path, 'old', 'fresh');
        const [, ...requested] = renaming.gate.requests;
        const read = editing.gate.requests.filter((subject) => typeof subject === 'string');
        assert.deepEqual(requested.slice(0, -1), read);
        const facts = (gate: GrantingGate): readonly unknown[] =>
          gate.requests
            .flatMap((subject) => (typeof subject === 'string' ? [] : subject))
            .map(({ kind, path, before, after }) => ({ kind, path, before, after }));
        assert.deepEqual(facts(renaming.gate), facts(editing.gate));
        assert.deepEqual(renaming.texts.files, editing.texts.files);
      }),
      { numRuns: runs(50) },
    );
  });

  it('requests no further approval after one was denied', async () => {
    const window = windowWith(paths);
    const read = window.gate.read.bind(window.gate);
    let count = 0;
    window.gate.read = (path, context, effect) => {
      if (++count > 1) return Promise.reject(new Error('Denied.'));
      return read(path, context, effect);
    };
    await assert.rejects(window.rename(paths.map((path) => renameEdit(path))), /Denied/);
    assert.equal(count, 2);
    assert.deepEqual(window.gate.changes, []);
  });

  it("writes nothing if one file is denied, was changed meanwhile, or isn't a file", async () => {
    const cases: readonly ((window: Window) => Proposal)[] = [
      (window) => {
        window.gate.denies = true;
        return renameEdit('/w/src/b.ts');
      },
      (window) => {
        window.gate.meanwhile = async () => {
          await Promise.resolve();
          window.texts.files.set('/w/src/b.ts', 'old mine\n');
        };
        return renameEdit('/w/src/b.ts');
      },
      () => renameEdit('/w/missing.ts'),
      ...['untitled', 'git', 'vscode-notebook-cell', 'vscode-userdata'].map(
        (scheme) => () => renameEdit('/w/src/b.ts', scheme),
      ),
    ];
    for (const propose of cases) {
      const window = windowWith(paths);
      await assert.rejects(window.rename([renameEdit('/w/a.ts'), propose(window)]), {
        name: 'ToolError',
      });
      assert.equal(window.texts.files.get('/w/a.ts'), 'old\n');
      assert.doesNotMatch([...window.texts.files.values()].join(''), /fresh/);
    }
  });

  it('reads nothing if there are too many files to review', async () => {
    const window = windowWith([]);
    const many = Array.from({ length: 100_000 }, (_, index) => renameEdit(`/w/${index}.ts`));
    await assert.rejects(window.rename(many), /100000 files; the maximum is 500/);
    assert.deepEqual(window.gate.requests, ['main.ts']);
  });

  it('interprets positions like VS Code, and refuses overlapping edits', async () => {
    const window = windowWith([]);
    const text = 'a\r\nbc\rd\n';
    const edit = (line: number, start: number, end: number) => ({ line, start, end, text: '*' });
    for (const [edits, after] of [
      [[edit(1, 0, 1), edit(2, 0, 1)], 'a\r\n*c\r*\n'],
      [[edit(0, 1, 900), edit(1, 2, 2)], 'a*\r\nbc*\rd\n'],
      [[edit(3, 0, 0), edit(99, 0, 9)], `${text}**`],
      [[edit(1, 0, 2), edit(1, 1, 2)], undefined],
    ] as const) {
      window.texts.files.set('/w/a.ts', text);
      const renamed = window.rename([{ scheme: 'file', path: '/w/a.ts', edits }]);
      if (after === undefined) await assert.rejects(renamed, /overlap/);
      else await renamed;
      assert.equal(window.texts.files.get('/w/a.ts'), after ?? text);
    }
  });
});
