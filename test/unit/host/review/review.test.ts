import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock } from '../../../../src/core/support/clock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** A window with one document and its file. `undefined` bytes stand for a missing file. */
const vscode = `
  export class FileSystemError extends Error { code = 'FileNotFound'; }
  export const Uri = { from: (parts) => parts };
  export class Range { constructor(start, end) { this.start = start; this.end = end; } }
  export class WorkspaceEdit {
    all = [];
    replace(uri, { start, end }, text) { this.all.push({ start, end, text }); }
  }
  export const l10n = { t: (text, ...values) => text.replace('{0}', values[0]) };
  const listeners = new Set();
  let open;
  const there = (file) => {
    if (file.text === undefined) throw new FileSystemError('no file');
    return file.text;
  };
  /** Tells of a change as VS Code does, without the lines that stayed the same at the end. */
  const changed = (document, text) => {
    const old = document.text;
    let same = 0;
    while (same < Math.min(old.length, text.length) && old.at(-1 - same) === text.at(-1 - same)) same++;
    const lines = old.slice(0, old.length - same).split('\\n');
    const end = { line: lines.length - 1, character: lines.at(-1).length };
    report(document, end, text, text.slice(0, text.length - same));
  };
  const report = (document, end, text, added) => {
    document.text = text;
    const change = { range: { start: { line: 0, character: 0 }, end }, text: added };
    for (const listener of listeners) listener({ document, contentChanges: [change] });
  };
  const withEnds = (text, end) => text.replace(/\\r?\\n/g, end);
  const endOf = ({ text }) => (text.includes('\\r\\n') ? '\\r\\n' : '\\n');
  export const world = {
    open(scheme, text) {
      const uri = { scheme, path: '/a.txt', toString: () => scheme + ':/a.txt' };
      const document = {
        uri, text, file: { text }, isClosed: false, isDirty: scheme === 'untitled',
        encoding: 'utf8', languageId: 'plaintext',
        getText: () => document.text,
        lineAt: (line) => ({ text: document.text.split(/\\r?\\n/)[line] }),
        positionAt: (offset) => offset,
      };
      if (scheme === 'untitled') document.file.text = undefined;
      open = document;
      listeners.clear();
      return document;
    },
    type(document, text) {
      document.isDirty = true;
      changed(document, withEnds(text, endOf(document)));
    },
    reload(document) {
      const { text } = document.file;
      if (document.isDirty || text === undefined) return;
      // Other line endings come first, as a replacement of the whole text.
      const same = withEnds(document.text, endOf({ text }));
      const lines = document.text.split(/\\r?\\n/);
      const end = { line: lines.length - 1, character: lines.at(-1).length };
      if (same !== document.text) report(document, end, same, same);
      if (text !== document.text) changed(document, text);
    },
  };
  export const workspace = {
    notebookDocuments: [],
    workspaceFolders: [],
    getWorkspaceFolder: () => undefined,
    asRelativePath: ({ path }) => path.slice(1),
    onDidChangeTextDocument: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    fs: {
      isWritableFileSystem: (scheme) => (scheme === 'file' ? true : undefined),
      stat: async () => there(open.file),
      readFile: async () => there(open.file),
    },
    decode: async (bytes) => bytes,
    async applyEdit({ all }) {
      let text = open.text;
      for (const { start, end, text: added } of all.toReversed())
        text = text.slice(0, start) + added + text.slice(end);
      open.isDirty = true;
      changed(open, text);
      return true;
    },
  };
  export const window = { visibleTextEditors: [], showTextDocument: async () => undefined };
`;

interface Document {
  text: string;
  isDirty: boolean;
  isClosed: boolean;
  readonly file: { text: string | undefined };
}

interface World {
  open(scheme: string, text: string): Document;
  type(document: Document, text: string): void;
  reload(document: Document): void;
}

const { DocumentSubject, world } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/review/review.ts');
  const fake: object = await import('vscode');
  const world: unknown = Reflect.get(fake, 'world');
  assert.ok(isWorld(world));
  return { ...loaded, world };
});

function isWorld(value: unknown): value is World {
  return value instanceof Object && 'reload' in value;
}

/** What happens during a wait. The clock doesn't take time. */
let meanwhile: () => unknown = () => undefined;
const clock: Clock = {
  wall: () => 0,
  monotonic: () => 0,
  after(_milliseconds, act) {
    meanwhile();
    queueMicrotask(act);
    return { dispose: () => undefined };
  },
};

const [before, proposed] = ['one\ntwo\nthree\n', 'TWO\n'];

/** A review of a change of the second line of a document. */
function rig(scheme = 'file', duringGate: Happening = () => undefined) {
  const document = world.open(scheme, before);
  const target: unknown = { document, start: 1, end: 2 };
  const gate = async (_edit: unknown, effect: () => Promise<void>): Promise<boolean> => {
    duringGate(document);
    await effect();
    return true;
  };
  let rejections = 0;
  const onReject = (): void => {
    rejections++;
  };
  const subject: unknown = Reflect.construct(DocumentSubject, [target, gate, clock, onReject]);
  assert.ok(subject instanceof DocumentSubject);
  const { review } = subject;
  review.push(proposed);
  assert.ok(review.endStream());
  return { document, review, rejections: () => rejections };
}

type Happening = (document: Document) => void;

/** What can happen to a document or its file during a review. */
const events = {
  delete: ({ file }: Document) => (file.text = undefined),
  // `git checkout` changes the file, and VS Code reads it a moment later.
  checkout: ({ file }: Document) => (file.text = 'other\ntwo\nthree\n'),
  format: ({ file }: Document) => (file.text = file.text?.replaceAll(/\r?\n/g, '\r\n')),
  reload: (document: Document) => world.reload(document),
  type: (document: Document) => world.type(document, `mine\n${document.text}`),
  save(document: Document) {
    document.isDirty = false;
    document.file.text = document.text;
  },
  // A renamed file has another document.
  rename(document: Document) {
    document.isClosed = true;
    document.file.text = undefined;
  },
};

function isText({ file }: Document, text: string): boolean {
  return file.text?.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n');
}

describe('accepting a change of a file', () => {
  it('writes the displayed text into an unchanged file, or reports it and writes nothing', async () => {
    const happenings = fc.array(fc.constantFrom(...Object.values(events)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(happenings, happenings, async (earlier, later) => {
        const happen = (all: readonly Happening[], document: Document): string => {
          for (const event of all) event(document);
          return document.text;
        };
        let atGate: string | undefined;
        const { document, review } = rig('file', (document) => (atGate = happen(later, document)));
        const seen = happen(earlier, document);
        const error = await review.decide('accept').then(() => undefined, String);
        const text = atGate ?? seen;
        const isThere = document.file.text !== undefined && !document.isClosed;
        const isRead = document.isDirty || isText(document, text);
        if (error === undefined) {
          assert.ok(isThere, 'A file that is gone was written.');
          assert.equal(document.text, seen.replace('two', 'TWO'));
        } else {
          // A change whose lines changed before the file was deleted has two reasons.
          assert.match(
            error,
            isThere ? /changed meanwhile/ : /(?:a\.txt was deleted|meanwhile)\b.*only be rejected/,
          );
          assert.equal(document.text, text);
          assert.ok(!isThere || !isRead || text !== seen, 'Nothing stood in the way.');
        }
      }),
    );
  });

  it('writes into a document that has no file', async () => {
    for (const scheme of ['untitled', 'vscode-notebook-cell']) {
      const { document, review } = rig(scheme);
      document.file.text = undefined;
      await review.decide('accept');
      assert.equal(document.text, before.replace('two', 'TWO'));
    }
  });

  it('waits for a file that is being saved', async () => {
    const { document, review } = rig();
    document.file.text = '';
    meanwhile = () => (document.file.text = document.text);
    await review.decide('accept').finally(() => (meanwhile = () => undefined));
    assert.equal(document.text, before.replace('two', 'TWO'));
  });

  it('can be retried when VS Code has reloaded the changed file', async () => {
    const { document, review } = rig();
    document.file.text = `new\n${before}`;
    await assert.rejects(review.decide('accept'), /a\.txt has changed meanwhile\. Try again\./);
    assert.equal(document.text, before);
    world.reload(document);
    await review.decide('accept');
    assert.equal(document.text, `new\n${before}`.replace('two', 'TWO'));
  });
});

describe('a change that is rejected', () => {
  it('is reported once, and not if it was accepted', async () => {
    for (const [side, count] of [
      ['reject', 1],
      ['accept', 0],
    ] as const) {
      const { review, rejections } = rig();
      await review.decide(side);
      assert.equal(rejections(), count);
    }
  });
});
