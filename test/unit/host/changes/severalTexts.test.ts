import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { runs } from '../../../support/sample.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { createRig } from './rig.ts';

/**
 * A window with several documents and their files. A person may act before and after each step of
 * Aside, and another program around steps that use a file.
 */
const vscode = `
  export class FileSystemError extends Error {}
  export const l10n = { t: (text, value) => text.replace('{0}', value) };
  export class Range { constructor(start, end) { this.start = start; this.end = end; } }
  export class WorkspaceEdit {
    all = [];
    replace(uri, { start, end }, text) { this.all.push({ path: uri.path, start, end, text }); }
  }
  export const EndOfLine = { LF: 1, CRLF: 2 };
  const uris = new Map();
  export const Uri = {
    from({ path }) {
      if (!uris.has(path)) uris.set(path, { scheme: 'file', authority: '', path, toString: () => 'file://' + path });
      return uris.get(path);
    },
    joinPath: () => ({ toString: () => 'file:///' }),
  };
  const listeners = new Set();
  let happen = () => undefined;
  class TextDocument {
    encoding = 'utf8';
    eol = 1;
    isClosed = false;
    isDirty = false;
    version = 1;
    constructor(path, text) { Object.assign(this, { uri: Uri.from({ path }), text, disk: text, base: text }); }
    getText() { return this.text; }
    positionAt(offset) { return offset; }
    show(text) {
      if (text === this.text) return;
      this.text = text;
      this.version++;
      for (const listener of [...listeners]) listener({ document: this });
    }
    type(text) { this.isDirty = true; this.show(text); }
    write(text) {
      this.disk = text;
      queueMicrotask(() => this.reload());
    }
    reload() {
      if (this.isDirty) return;
      this.base = this.disk;
      this.show(this.disk);
    }
  }
  const step = async (work, path = '') => {
    happen(path);
    await null;
    const result = work();
    happen(path);
    return result;
  };
  const documents = new Map();
  const of = ({ path }) => documents.get(path);
  export const open = (texts, next) => {
    documents.clear();
    for (const [path, text] of Object.entries(texts)) documents.set(path, new TextDocument(path, text));
    workspace.textDocuments = [...documents.values()];
    happen = next;
    return documents;
  };
  const listen = (listener) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  };
  export const workspace = {
    textDocuments: [],
    getWorkspaceFolder: () => undefined,
    openTextDocument: (uri) => step(() => of(uri), uri.path),
    onDidChangeTextDocument: listen,
    onDidCloseTextDocument: listen,
    decode: (bytes) => step(() => bytes),
    encode: (text) => step(() => text),
    /** VS Code refuses all edits if one document has changed meanwhile. */
    async applyEdit({ all }) {
      const versions = all.map((edit) => of(edit).version);
      return step(() => {
        if (all.length === 0 || all.some((edit, index) => of(edit).version !== versions[index])) return false;
        for (const { path, start, end, text: added } of all.toReversed()) {
          const { text } = documents.get(path);
          documents.get(path).type(text.slice(0, start) + added + text.slice(end));
        }
        return true;
      });
    },
    fs: {
      stat: (uri) => step(() => ({}), uri.path),
      readFile: (uri) => step(() => of(uri).disk, uri.path),
      writeFile: (uri, text) => step(() => of(uri).write(text)),
    },
  };
`;

interface FakeDocument {
  readonly text: string;
  readonly disk: string;
  readonly isDirty: boolean;
  type(text: string): void;
  write(text: string): void;
  reload(): void;
}

type Open = (
  texts: Readonly<Record<string, string>>,
  happen: (path: string) => void,
) => ReadonlyMap<string, FakeDocument>;

const { editorTexts, PartlyWritten, ChangeActions, RestoreActions, open } = await withFakeVsCode(
  vscode,
  async () => {
    const { ChangeActions, RestoreActions } =
      await import('../../../../src/host/changes/changeActions.ts');
    const { editorTexts } = await import('../../../../src/host/changes/editorTexts.ts');
    const { PartlyWritten } = await import('../../../../src/host/changes/textStore.ts');
    const open: unknown = Reflect.get(await import('vscode'), 'open');
    assert.ok(isOpen(open));
    return { editorTexts, PartlyWritten, ChangeActions, RestoreActions, open };
  },
);

function isOpen(value: unknown): value is Open {
  return typeof value === 'function';
}

const change: FileChange = {
  id: '1',
  kind: 'edit',
  path: 'a.ts',
  status: 'changed',
  addedLines: 1,
  removedLines: 1,
};

const paths = ['/a', '/b', '/c'];
/** Marks written by others, none of which may be lost. */
const mark = /§\d+/g;

const happening = fc.record({
  path: fc.constantFrom(...paths),
  what: fc.constantFrom('type' as const, 'other program' as const, 'same text' as const),
  /** Number of steps of Aside and of VS Code before this one. */
  wait: fc.nat(25),
});

describe('undo of several files while others change them', () => {
  it("overwrites no others' changes, undoes all or none, and names files that could not be restored", async () => {
    const happenings = fc.array(happening, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(happenings, async (list) => {
        const pending = [...list];
        let steps = 0;
        let count = 0;
        const marks = new Map<string, number>();
        /** Files in which another program restored the text from before the change. */
        const same = new Set<string>();
        const unread = new Set<string>();
        const happen = (at: string): void => {
          const next = pending[0];
          if (next === undefined || steps++ < next.wait) return;
          // Another program acts only around steps that use the file, since no file system can write
          // only if a file is unchanged.
          if (at !== next.path && next.what !== 'type') return;
          [steps] = [0, pending.shift()];
          const { path, what } = next;
          const document = documents.get(path);
          if (document === undefined || unread.has(path)) return;
          if (what === 'type') document.type(`${document.text}§${count++}`);
          // Another program writes only if the document is saved: otherwise VS Code reports a
          // conflict.
          else if (document.isDirty) return;
          else if (what === 'other program') document.write(`${document.disk}§${count++}`);
          else if (document.disk === `after ${path}`) {
            document.write(`before ${path}`);
            same.add(path);
          } else return;
          if (what !== 'same text') marks.set(path, (marks.get(path) ?? 0) + 1);
          unread.add(path);
          queueMicrotask(() => unread.delete(path));
        };
        const texts = Object.fromEntries(paths.map((path) => [path, `after ${path}`]));
        const documents = open(texts, happen);
        const error: unknown = await editorTexts
          .write(
            paths.map((path) => ({
              kind: 'edit',
              location: { scheme: 'file', authority: '', path },
              path,
              before: `after ${path}`,
              after: `before ${path}`,
              isExact: true,
            })),
          )
          .then(
            () => undefined,
            (reason: unknown) => reason,
          );
        for (let next = pending[0]; next !== undefined; next = pending[0]) happen(next.path);
        assert.ok(error === undefined || error instanceof ToolError, String(error));
        const named = error instanceof PartlyWritten ? error.paths : [];
        for (const [path, document] of documents) {
          document.reload();
          const wanted: string = error === undefined ? `before ${path}` : `after ${path}`;
          const markCount = document.text.match(mark)?.length ?? 0;
          assert.equal(markCount, marks.get(path) ?? 0, `${path}: somebody lost a text.`);
          if (named.includes(path)) continue;
          const text = document.text.replaceAll(mark, '');
          if (same.has(path)) assert.equal(text, `before ${path}`, 'What another program wrote');
          else assert.equal(text, wanted, path);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});

const viewer = { show: (): never => assert.fail(), close: (): never => assert.fail() };

describe('undo, redo or restore that could neither finish nor be reverted', () => {
  it('names the files to the person', async () => {
    const fails = (): Promise<never> =>
      Promise.reject(new PartlyWritten('The change failed.', ['a.ts', 'b.ts']));
    const list = () => Promise.resolve([change]);
    const { changes } = createRig();
    Object.assign(changes, { list, undo: fails, redo: fails, restore: fails });
    const clicks = new ChangeActions(changes, editorTexts, viewer, () => true);
    const restores = new RestoreActions(changes, viewer, () => true);
    const restored = { id: 'r', turns: ['t'], files: [], left: [], status: 'restored' } as const;
    for (const act of [
      () => clicks.change('t', undefined, 'undo'),
      () => clicks.change('t', undefined, 'redo'),
      () => restores.restore({ chat: 'c', turns: ['t'] }),
      () => restores.undo('c', restored),
    ])
      await assert.rejects(act, /^UserError: Stopped .* Check these files: a\.ts, b\.ts$/);
  });
});

describe("undo or redo of files that can't be written", () => {
  it('names them to the person, those without a stored text separately', async () => {
    const skips = () =>
      Promise.resolve({ reversals: [], skipped: ['a.ts'], lost: ['b.ts', 'c.ts'] });
    const list = () => Promise.resolve([change]);
    const { changes } = createRig();
    Object.assign(changes, { list, undo: skips, redo: skips });
    const clicks = new ChangeActions(changes, editorTexts, viewer, () => true);
    for (const [action, words] of [
      [
        'undo',
        /^UserError: Not undone .*: a\.ts\. Not undone .* no longer available: b\.ts, c\.ts$/,
      ],
      [
        'redo',
        /^UserError: Not redone .*: a\.ts\. Not redone .* no longer available: b\.ts, c\.ts$/,
      ],
    ] as const)
      await assert.rejects(() => clicks.change('t', undefined, action), words);
  });
});
