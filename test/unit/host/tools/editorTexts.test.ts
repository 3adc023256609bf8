import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { runs } from '../../../support/sample.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { createRig } from './rig.ts';

/**
 * A window with several documents and their files. A person or a formatter may act before and after
 * each step of Aside, and another program around steps that use a file.
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
    /** VS Code saves no document whose file another program has changed. */
    save() {
      if (!this.isDirty || this.disk !== this.base) return;
      this.disk = this.base = this.text;
      this.isDirty = false;
    }
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
  save(): void;
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
      await import('../../../../src/host/tools/changeActions.ts');
    const { editorTexts } = await import('../../../../src/host/tools/editorTexts.ts');
    const { PartlyWritten } = await import('../../../../src/host/tools/textStore.ts');
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

/** Marks written by others, none of which may be lost. */
const mark = /§\d+/g;

function withMark(text: string, line: number, number: number): string {
  const lines = text.split('\n');
  const index = line % lines.length;
  return lines.with(index, `${lines[index] ?? ''}§${number}`).join('\n');
}

const happening = fc.record({
  path: fc.constantFrom('/a', '/b', '/c'),
  what: fc.constantFrom(
    'type' as const,
    'format' as const,
    'other program' as const,
    'same text' as const,
  ),
  line: fc.nat(9),
  /** Number of steps of Aside and of VS Code before this one. */
  wait: fc.oneof(fc.nat(8), fc.nat(25)),
});
const text = fc.array(fc.constantFrom('x', 'y', ''), { maxLength: 6 }).map((all) => all.join('\n'));
const texts = fc.tuple(text, text).filter(([before, after]) => before !== after);
const files = fc.oneof(
  texts.map((of) => ({ '/a': of })),
  fc.tuple(texts, texts, texts).map(([a, b, c]) => ({ '/a': a, '/b': b, '/c': c })),
);

describe('undo of files while others change them', () => {
  it("overwrites no others' changes, undoes all or none, and names files that could not be restored", async () => {
    const happenings = fc.array(happening, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(files, happenings, async (ofFiles, list) => {
        const changed = new Map<string, readonly [before: string, after: string]>(
          Object.entries(ofFiles),
        );
        const pending = list.filter(({ path }) => changed.has(path));
        let steps = 0;
        let count = 0;
        const marks = new Map<string, number>();
        /** Files in which another program restored the text from before the change. */
        const same = new Set<string>();
        const unread = new Set<string>();
        const happen = (at: string): void => {
          const next = pending[0];
          if (next === undefined || steps++ < next.wait) return;
          const { path, what, line } = next;
          const isByProgram = what === 'other program' || what === 'same text';
          // Others write only around steps that use the file, since no file system can write only
          // if a file is unchanged.
          if (what !== 'type' && at !== path) return;
          [steps] = [0, pending.shift()];
          const document = documents.get(path);
          if (document === undefined || unread.has(path)) return;
          // Another program writes only if the document is saved: otherwise VS Code reports a
          // conflict.
          if (isByProgram && document.isDirty) return;
          const [before, after] = changed.get(path) ?? [];
          if (what === 'same text') {
            if (document.disk !== after || before === undefined) return;
            document.write(before);
            same.add(path);
          } else {
            marks.set(path, (marks.get(path) ?? 0) + 1);
            if (isByProgram) document.write(withMark(document.disk, line, count++));
            else document.type(withMark(document.text, line, count++));
            if (what === 'format') document.save();
          }
          unread.add(path);
          queueMicrotask(() => unread.delete(path));
        };
        const opened = [...changed].map(([path, [, after]]) => [path, after] as const);
        const documents = open(Object.fromEntries(opened), happen);
        const writes = [...changed].map(([path, [before, after]]) => ({
          kind: 'edit' as const,
          location: { scheme: 'file', authority: '', path },
          path,
          before: after,
          after: before,
          isExact: true,
        }));
        const error: unknown = await editorTexts.write(writes).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        for (let next = pending[0]; next !== undefined; next = pending[0]) happen(next.path);
        assert.ok(error === undefined || error instanceof ToolError, String(error));
        const named = error instanceof PartlyWritten ? error.paths : [];
        for (const [path, document] of documents) {
          document.reload();
          const [before, after] = changed.get(path) ?? [];
          const markCount = document.text.match(mark)?.length ?? 0;
          assert.equal(markCount, marks.get(path) ?? 0, `${path}: somebody lost a text.`);
          if (named.includes(path)) continue;
          const wanted: string | undefined = error === undefined || same.has(path) ? before : after;
          assert.equal(document.text.replaceAll(mark, ''), wanted, path);
          assert.equal(document.disk.replaceAll(mark, ''), wanted, `${path} on the disk`);
        }
      }),
      { numRuns: runs(2000) },
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
