import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutByteOrderMark } from '../../../../src/core/edits/lineEndings.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { runs } from '../../../support/sample.ts';
import { personSteps, content, isSame, createRig, type Rig } from './rig.ts';

const seed = Number(process.env['SEED'] ?? 7);

/** Steps of Aside on one of the files. */
const asideSteps = [
  'edit',
  'create',
  'undo',
  'redo',
  'keep',
  'undo all',
  'redo all',
  'reload',
] as const;
type Happening = (typeof asideSteps)[number] | (typeof personSteps)[number];
const paths = ['a', 'b'];
const happening = fc.tuple(
  fc.constantFrom<Happening[]>(
    'edit',
    'edit',
    ...asideSteps,
    ...asideSteps,
    ...personSteps,
    'convert',
  ),
  fc.constantFrom(...paths),
);

/** Text with or without a byte order mark. */
const textWithMark = fc
  .tuple(fc.constantFrom('', '\ufeff'), content)
  .map(([mark, text]) => mark + text);

class Workspace {
  rig: Rig;
  /** All texts that a file has had, one of which a person may restore. */
  readonly texts = new Map<string, string[]>();
  /** Texts that the turn, undo or redo left in a file; undefined if they left none. */
  readonly asideTexts = new Map<string, (string | undefined)[]>();
  /** The line ending to which a person converted a file. */
  readonly converted = new Map<string, string>();
  /** First texts of the files that only edits, undo and redo have changed. */
  readonly untouched: Map<string, string>;
  /** Who created a file. A person counts only with a text that Aside has never left. */
  readonly #makers = new Map<string, 'person' | 'turn'>();
  #count = 0;

  constructor(start: ReadonlyMap<string, string>) {
    this.rig = createRig();
    this.untouched = new Map(start);
    for (const [path, text] of start) this.#put(path, text);
  }

  get files(): ReadonlyMap<string, string> {
    return new Map(this.rig.texts.files);
  }

  async happen(what: Happening, path: string): Promise<void> {
    switch (what) {
      case 'edit':
      case 'create':
        return this.#call(what, path);
      case 'reload':
        this.rig = createRig(this.rig.texts, this.rig.storage);
        return;
      case 'keep':
      case 'undo':
      case 'redo': {
        const changed = (await this.rig.changes.list('t')).find((change) => change.path === path);
        if (changed === undefined) return;
        if (what === 'keep') {
          this.untouched.delete(path);
          return this.rig.changes.keep('t', changed.id);
        }
        return this.#step(what, changed.id);
      }
      case 'undo all':
        return this.#step('undo', undefined);
      case 'redo all':
        return this.#step('redo', undefined);
      default:
        this.#byPerson(what, path);
    }
  }

  /** Makes a call of the turn, unless the file's state doesn't allow it. */
  async #call(kind: 'edit' | 'create', path: string): Promise<void> {
    const { rig } = this;
    const text = rig.texts.files.get(path);
    if ((text === undefined) !== (kind === 'create')) return;
    const before = withoutByteOrderMark(text ?? '');
    const after = kind === 'create' ? `new ${this.#count++}\r\nx\n` : this.#edited(before);
    const planned = { kind, path, before, after, isCurrent: () => Promise.resolve(true) };
    await rig.editing.apply([planned], toolContext());
    if (kind === 'create') this.#makers.set(path, 'turn');
    if (kind === 'create') this.converted.delete(path);
    this.#note(path);
  }

  /** Adds a line, removes one, or changes the text of one. */
  #edited(text: string): string {
    const lines = text.match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? [];
    const number = this.#count++;
    const index = number % lines.length;
    const line = lines[index] ?? '';
    const [head, tail] = [lines.slice(0, index), lines.slice(index + 1)];
    const edited = [[], [`${number}\n`, line], [`${number}${line}`]][number % 3] ?? [];
    return [...head, ...edited, ...tail].join('');
  }

  /** Undoes or redoes, reverts that and repeats it. No step may overwrite a person's text. */
  async #step(type: 'undo' | 'redo', id: string | undefined): Promise<void> {
    const { changes } = this.rig;
    const back = type === 'undo' ? 'redo' : 'undo';
    const [before, listedBefore] = [this.files, await changes.list('t')];
    const named = (await changes[type]('t', id)).skipped;
    const [after, listedAfter] = [this.files, await changes.list('t')];
    this.#checkWritten(before, after, named);
    if (type === 'undo' && id === undefined)
      for (const [path, text] of this.untouched) assert.equal(after.get(path), text);
    const moved = listedAfter.filter(({ status }, index) => status !== listedBefore[index]?.status);
    for (const change of moved) assert.deepEqual((await changes[back]('t', change.id)).skipped, []);
    assert.deepEqual(this.files, before, `${type} and ${back} are not as before`);
    assert.deepEqual(await changes.list('t'), listedBefore);
    for (const change of moved) assert.deepEqual((await changes[type]('t', change.id)).skipped, []);
    assert.deepEqual(this.files, after, `${type}, ${back} and ${type} are not as ${type}`);
    assert.deepEqual(await changes.list('t'), listedAfter);
    for (const { path } of moved) this.#note(path);
  }

  #checkWritten(
    before: ReadonlyMap<string, string>,
    after: ReadonlyMap<string, string>,
    named: readonly string[],
  ): void {
    for (const path of paths) {
      const [old, now] = [before.get(path), after.get(path)];
      if (old === now) continue;
      const isLeft = this.asideTexts.get(path)?.some((text) => isSame(text, old));
      assert.ok(isLeft, 'A text of the person is lost.');
      const isKnown =
        now === undefined || this.asideTexts.get(path)?.some((text) => isSame(text, now));
      assert.ok(isKnown, 'A text was written that never was.');
      const isOfTurn = now !== undefined || this.#makers.get(path) === 'turn';
      assert.ok(isOfTurn, 'A file of the person is deleted.');
      const wanted = this.converted.get(path);
      if (wanted === undefined || now === undefined) continue;
      assert.ok(
        (now.match(/\r\n?|\n/g) ?? []).every((end) => end === wanted),
        'Line endings that a person converted are lost.',
      );
    }
    for (const path of named) assert.ok(paths.includes(path));
  }

  #byPerson(what: (typeof personSteps)[number], path: string): void {
    const text = this.rig.texts.files.get(path);
    this.untouched.delete(path);
    switch (what) {
      case 'delete':
        this.converted.delete(path);
        this.rig.texts.files.delete(path);
        return;
      case 'type': {
        this.#put(path, `${text ?? ''}mine${this.#count++}x`);
        return;
      }
      case 'convert': {
        const converted = (text ?? '').replaceAll(
          /\r\n?|\n/g,
          this.#count++ % 2 === 0 ? '\n' : '\r\n',
        );
        const [end] = /\r?\n/.exec(converted) ?? [];
        // Restores a line ending that Aside left, which is no change.
        if (this.asideTexts.get(path)?.includes(converted) === true) this.converted.delete(path);
        else if (end !== undefined && converted !== text) this.converted.set(path, end);
        this.#put(path, converted);
        return;
      }
      case 'retype': {
        const earlier = this.texts.get(path)?.at(-1 - (this.#count++ % 4));
        if (earlier === undefined) return;
        this.converted.delete(path);
        this.#put(path, earlier);
      }
    }
  }

  #put(path: string, text: string): void {
    const isNew = !this.rig.texts.files.has(path);
    if (isNew && this.asideTexts.get(path)?.some((other) => isSame(other, text)) !== true)
      this.#makers.set(path, 'person');
    this.rig.texts.files.set(path, text);
    this.asideTexts.set(path, [...(this.asideTexts.get(path) ?? []), text]);
  }

  #note(path: string): void {
    const text = this.rig.texts.files.get(path);
    this.asideTexts.set(path, [...(this.asideTexts.get(path) ?? []), text]);
    if (text !== undefined) this.texts.set(path, [...(this.texts.get(path) ?? []), text]);
  }
}

describe('redo', () => {
  it("reverts undo any number of times, and overwrites no person's changes", async () => {
    await fc.assert(
      fc.asyncProperty(
        textWithMark,
        textWithMark,
        fc.array(happening, { minLength: 2, maxLength: 20 }),
        async (a, b, all) => {
          const workspace = new Workspace(
            new Map([
              ['a', a],
              ['b', b],
            ]),
          );
          for (const [what, path] of all) await workspace.happen(what, path);
        },
      ),
      { seed, numRuns: runs(3000) },
    );
  });

  it('restores no new file that the person had deleted before undo', async () => {
    const workspace = new Workspace(new Map());
    await workspace.happen('create', 'a');
    const { changes, texts } = workspace.rig;
    texts.files.delete('a');
    await changes.undo('t');
    assert.deepEqual((await changes.redo('t')).skipped, []);
    assert.equal(texts.files.size, 0);
    assert.deepEqual(await statuses(workspace), ['changed']);
  });
});

async function statuses({ rig }: Workspace): Promise<readonly string[]> {
  return (await rig.changes.list('t')).map(({ status }) => status);
}
