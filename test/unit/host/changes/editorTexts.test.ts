import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { runs } from '../../../support/sample.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/**
 * A window with one document and its file. Another program, a formatter or the person may act
 * before and after each step of Aside.
 */
const vscode = `
  export class FileSystemError extends Error {}
  export class Range { constructor(start, end) { this.start = start; this.end = end; } }
  export class WorkspaceEdit {
    all = [];
    replace(uri, { start, end }, text) { this.all.push({ start, end, text }); }
  }
  export const EndOfLine = { LF: 1, CRLF: 2 };
  export const Uri = { from: (parts) => uri, joinPath: () => ({ toString: () => 'file:///' }) };
  const uri = { scheme: 'file', authority: '', path: '/a', toString: () => 'file:///a' };
  const listeners = new Set();
  let happen = () => undefined;
  const document = {
    uri, encoding: 'utf8', eol: 1, isClosed: false,
    getText: () => world.text,
    get isDirty() { return world.isDirty; },
    get version() { return world.version; },
    positionAt: (offset) => offset,
  };
  const show = (text) => {
    if (text === world.text) return;
    world.text = text;
    world.version++;
    for (const listener of [...listeners]) listener({ document });
  };
  const step = async (work) => {
    happen();
    await null;
    const result = work();
    happen();
    return result;
  };
  export const world = {
    open(text, next) {
      Object.assign(world, { text, disk: text, base: text, isDirty: false, version: 1 });
      happen = next;
    },
    type(text) { world.isDirty = true; show(text); },
    /** VS Code saves no document whose file another program has changed. */
    save() {
      if (!world.isDirty || world.disk !== world.base) return;
      world.disk = world.base = world.text;
      world.isDirty = false;
    },
    write(text) {
      world.disk = text;
      queueMicrotask(world.reload);
    },
    reload() {
      if (world.isDirty) return;
      world.base = world.disk;
      show(world.disk);
    },
  };
  const listen = (listener) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  };
  export const workspace = {
    textDocuments: [document],
    getWorkspaceFolder: () => undefined,
    openTextDocument: () => step(() => document),
    onDidChangeTextDocument: listen,
    onDidCloseTextDocument: listen,
    decode: (bytes) => step(() => bytes),
    encode: (text) => step(() => text),
    async applyEdit({ all }) {
      const { version } = world;
      return step(() => {
        if (all.length === 0 || version !== world.version) return false;
        let { text } = world;
        for (const { start, end, text: added } of all.toReversed())
          text = text.slice(0, start) + added + text.slice(end);
        world.type(text);
        return true;
      });
    },
    fs: {
      stat: () => step(() => ({})),
      readFile: () => step(() => world.disk),
      writeFile: (_, text) => step(() => world.write(text)),
    },
  };
`;

interface World {
  readonly text: string;
  readonly disk: string;
  readonly isDirty: boolean;
  open(text: string, happen: () => void): void;
  type(text: string): void;
  save(): void;
  write(text: string): void;
  reload(): void;
}

const { editorTexts, world } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/changes/editorTexts.ts');
  const world: unknown = Reflect.get(await import('vscode'), 'world');
  assert.ok(isWorld(world));
  return { ...loaded, world };
});

function isWorld(value: unknown): value is World {
  return value instanceof Object && 'reload' in value;
}

/** Marks written by the person or a formatter, none of which may be lost. */
const mark = /§\d+/g;

function withMark(text: string, line: number, number: number): string {
  const lines = text.split('\n');
  const index = line % lines.length;
  return lines.with(index, `${lines[index] ?? ''}§${number}`).join('\n');
}

const happening = fc.record({
  what: fc.constantFrom('type' as const, 'format' as const, 'other program' as const),
  line: fc.nat(9),
  /** Number of steps of Aside and of VS Code before this one. */
  wait: fc.nat(8),
});
const text = fc.array(fc.constantFrom('x', 'y', ''), { maxLength: 6 }).map((all) => all.join('\n'));

describe('undo while others change the file', () => {
  it("restores the text before the edit, or changes nothing; others' text is never lost", async () => {
    const happenings = fc.array(happening, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(text, text, happenings, async (before, edited, list) => {
        fc.pre(before !== edited);
        const pending = [...list];
        let steps = 0;
        let count = 0;
        let isUnread = false;
        const happen = (): void => {
          const next = pending[0];
          if (next === undefined || steps++ < next.wait) return;
          [steps] = [0, pending.shift()];
          const changed = (current: string): string => withMark(current, next.line, count++);
          // Another program writes only if the document is saved: otherwise VS Code reports a
          // conflict.
          if (next.what === 'other program' && !world.isDirty) {
            isUnread = true;
            world.write(changed(world.disk));
            queueMicrotask(() => (isUnread = false));
          }
          if (next.what !== 'other program' && !isUnread) world.type(changed(world.text));
          if (next.what === 'format') world.save();
        };
        world.open(edited, happen);
        const location = { scheme: 'file', authority: '', path: '/a' };
        const error: unknown = await editorTexts
          .write([
            { kind: 'edit', location, path: 'a', before: edited, after: before, isExact: true },
          ])
          .then(
            () => undefined,
            (reason: unknown) => reason,
          );
        while (pending.length > 0) happen();
        world.reload();
        assert.ok(error === undefined || error instanceof ToolError, String(error));
        const wanted = error === undefined ? before : edited;
        assert.equal(world.text.replaceAll(mark, ''), wanted);
        assert.equal(world.text.match(mark)?.length ?? 0, count, 'Somebody lost a text.');
        assert.equal(world.disk.replaceAll(mark, ''), wanted);
      }),
      { numRuns: runs(2000) },
    );
  });
});
