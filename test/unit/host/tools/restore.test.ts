import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutByteOrderMark } from '../../../../src/core/edits/lineEndings.ts';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import type { ReversalPlan } from '../../../../src/host/tools/changes.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { isSameTextIgnoringLineEndings } from '../../../../src/core/edits/lineEndings.ts';
import { createRig, type Rig } from './rig.ts';

const seed = Number(process.env['SEED'] ?? 11);

/** Steps of a person, in addition to those of the model and of undo and redo. */
const personSteps = ['type', 'convert', 'delete', 'retype'] as const;

/** Short texts with every kind of line ending. */
const content = fc
  .array(fc.constantFrom('x', 'y', '\n', '\r\n', '\r'), { maxLength: 8 })
  .map((pieces) => pieces.join(''));

/** True if the texts are equal except for line endings. Undefined stands for a missing file. */
function isSame(text: string | undefined, otherText: string | undefined): boolean {
  if (text === undefined || otherText === undefined) return text === otherText;
  return isSameTextIgnoringLineEndings(text, otherText);
}

const paths = ['a', 'b', 'c'];
const asideSteps = [
  'edit',
  'edit',
  'edit',
  'create',
  'keep',
  'undo',
  'redo',
  'undo all',
  'redo all',
  'other chat',
] as const;
const ofChat = ['message', 'message', 'restore', 'reload'] as const;
type Happening =
  | (typeof asideSteps)[number]
  | (typeof personSteps)[number]
  | (typeof ofChat)[number];
const happening = fc.tuple(
  fc.constantFrom<Happening[]>(...asideSteps, ...asideSteps, ...personSteps, ...ofChat),
  fc.constantFrom(...paths),
  fc.nat(20),
);
/** Text with or without a byte order mark; undefined if there is no file. */
const first = fc.option(
  fc.tuple(fc.constantFrom('', '\ufeff'), content).map(([mark, text]) => mark + text),
  { nil: undefined },
);

type Files = ReadonlyMap<string, string>;

/** A change of a file. */
interface LogEntry {
  /** Message whose turn made, undid or redid the change; undefined if somebody else did. */
  readonly message: number | undefined;
  readonly before: string | undefined;
  /** True if it was redone after later turns had changed the file. */
  readonly isOutOfOrder: boolean;
}

/** A sent message, with the files before it. */
interface Message {
  readonly turn: string;
  readonly files: Files;
  /** Files that somebody else, or a click on an earlier change, has changed since. */
  readonly touched: Set<string>;
}

/** A chat with its messages, and a workspace that others change as well. */
class Workspace {
  rig: Rig;
  /** The messages of the shown path. */
  readonly messages: Message[] = [];
  /** The last known text of each file. */
  readonly #known = new Map<string, string | undefined>();
  readonly #logs = new Map<string, LogEntry[]>();
  /** The line ending to which a person converted a file. */
  readonly #converted = new Map<string, string>();
  readonly #convertedOnce = new Set<string>();
  readonly #texts = new Map<string, string[]>();
  #count = 0;

  constructor(start: readonly (string | undefined)[]) {
    this.rig = createRig();
    for (const [index, path] of paths.entries()) {
      const text = start[index];
      if (text !== undefined) this.rig.texts.files.set(path, text);
      this.#note(path);
    }
    this.#send();
  }

  get files(): Files {
    return new Map(this.rig.texts.files);
  }

  async happen(what: Happening, path: string, chance: number): Promise<void> {
    switch (what) {
      case 'message': {
        this.#send();
        return;
      }
      case 'restore':
        return this.#restore(chance % this.messages.length);
      case 'reload':
        this.rig = createRig(this.rig.texts, this.rig.storage);
        return;
      case 'edit':
      case 'create':
        return this.#call(this.messages.length - 1, what, path);
      case 'other chat':
        return this.#call(undefined, 'edit', path);
      case 'keep':
      case 'undo':
      case 'redo':
        return this.#click(what, path, chance);
      case 'undo all':
        return this.#reverse('undo', chance % this.messages.length, undefined);
      case 'redo all':
        return this.#reverse('redo', chance % this.messages.length, undefined);
      default:
        this.#byPerson(what, path);
    }
  }

  #send(): void {
    for (const path of paths) this.#noteOthers(path);
    this.messages.push({ turn: `t${this.#count++}`, files: this.files, touched: new Set() });
  }

  /** Makes a call of a turn or of another chat, unless the file's state doesn't allow it. */
  async #call(message: number | undefined, kind: 'edit' | 'create', path: string): Promise<void> {
    const text = this.rig.texts.files.get(path);
    if ((text === undefined) !== (kind === 'create')) return;
    this.#noteOthers(path);
    const before = withoutByteOrderMark(text ?? '');
    const after = kind === 'create' ? `new ${this.#count++}\r\nx\n` : this.#edited(before);
    const planned = { kind, path, before, after, isCurrent: () => Promise.resolve(true) };
    const turn = message === undefined ? 'other' : (this.messages[message]?.turn ?? '');
    await this.rig.editing.apply([planned], toolContext(turn));
    if (kind === 'create') this.#converted.delete(path);
    if (this.files.get(path) !== text)
      this.#log(path, { message, before: text, isOutOfOrder: false });
  }

  /** Adds a line, removes one, changes the text of one, or restores an earlier text. */
  #edited(text: string): string {
    const lines = text.match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? [];
    const number = this.#count++;
    const index = number % lines.length;
    const line = lines[index] ?? '';
    const edited = [[], [`${number}\n`, line], [`${number}${line}`]][number % 3] ?? [];
    const after = [...lines.slice(0, index), ...edited, ...lines.slice(index + 1)].join('');
    return isSame(after, text) ? `${number}${text}` : after;
  }

  /** Clicks a button of one changed file. */
  async #click(what: 'keep' | 'undo' | 'redo', path: string, chance: number): Promise<void> {
    const { changes } = this.rig;
    const at = chance % this.messages.length;
    const { turn = '' } = this.messages[at] ?? {};
    const changed = (await changes.list(turn)).findLast((change) => change.path === path);
    if (changed === undefined) return;
    if (what === 'keep') return changes.keep(turn, changed.id);
    return this.#reverse(what, at, changed.id);
  }

  /** Undoes or redoes changes of a message, reverts that and repeats it, with the same bytes. */
  async #reverse(type: 'undo' | 'redo', at: number, change: string | undefined): Promise<void> {
    const { changes } = this.rig;
    const { turn = '' } = this.messages[at] ?? {};
    for (const path of paths) this.#noteOthers(path);
    const [before, listedBefore] = [this.files, await changes.list(turn)];
    await changes[type](turn, change);
    const [after, listedAfter] = [this.files, await changes.list(turn)];
    const moved = listedAfter.filter(({ status }, index) => status !== listedBefore[index]?.status);
    const again = async (step: 'undo' | 'redo'): Promise<void> => {
      for (const { id } of step === 'undo' ? moved.toReversed() : moved)
        assert.deepEqual((await changes[step](turn, id)).skipped, []);
    };
    await again(type === 'undo' ? 'redo' : 'undo');
    assert.deepEqual(this.files, before, `${type}, reverted, is not as before`);
    assert.deepEqual(await changes.list(turn), listedBefore);
    await again(type);
    assert.deepEqual(this.files, after, `${type}, repeated, is not the same`);
    assert.deepEqual(await changes.list(turn), listedAfter);
    for (const path of paths) {
      const old = before.get(path);
      if (after.get(path) === old) continue;
      const log = this.#logs.get(path) ?? [];
      this.#touch(path, at);
      if (type === 'undo' && this.#unlog(path, at)) continue;
      const isOutOfOrder = type === 'redo' && log.some(({ message = -1 }) => message > at);
      this.#log(path, { message: at, before: old, isOutOfOrder });
    }
  }

  #byPerson(what: (typeof personSteps)[number], path: string): void {
    const { files } = this.rig.texts;
    const text = files.get(path);
    if (what === 'delete') files.delete(path);
    else if (what === 'type') files.set(path, `${text ?? ''}mine${this.#count++}x`);
    else if (what === 'convert') this.#convert(path, text);
    else {
      const earlier = this.#texts.get(path)?.at(-1 - (this.#count++ % 4));
      if (earlier !== undefined) files.set(path, earlier);
    }
    if (what !== 'convert') this.#converted.delete(path);
  }

  #convert(path: string, text: string | undefined): void {
    if (text === undefined) return;
    const end = this.#count++ % 2 === 0 ? '\n' : '\r\n';
    const converted = text.replaceAll(/\r\n?|\n/g, end);
    if (converted === text) return;
    this.#converted.set(path, end);
    this.#convertedOnce.add(path);
    this.rig.texts.files.set(path, converted);
  }

  /** Restores the files to before a message, undoes that, and restores them again. */
  async #restore(at: number): Promise<void> {
    for (const path of paths) this.#noteOthers(path);
    const turns = this.messages.slice(at).map(({ turn }) => turn);
    const [before, listed] = [this.files, await this.#listed(turns)];
    const restore = `r${this.#count++}`;
    const scope = { chat: 'chat', turns, restore };
    const { changes } = this.rig;
    const planned = await changes.planRestore({ ...scope, type: 'undo' });
    const plan = await changes.restore({ ...scope, type: 'undo' });
    assert.deepEqual(plan, planned);
    const after = this.files;
    const changed = listed.flat().filter(({ status }) => status !== 'undone');
    this.#check(at, before, plan, new Set(changed.map(({ path }) => path)));
    assert.deepEqual((await changes.restore({ ...scope, type: 'redo' })).skipped, []);
    assert.deepEqual(this.files, before, 'Undoing it does not bring back what was there.');
    assert.deepEqual(await this.#listed(turns), listed);
    await changes.restore({ ...scope, type: 'undo' });
    assert.deepEqual(this.files, after, 'Redoing it does not restore the files again.');
    if (after.size % 2 === 0) {
      this.#leavePath(at, plan.skipped);
      return;
    }
    await changes.restore({ ...scope, type: 'redo' });
  }

  /** Sends the message again, so that later turns belong to another version. */
  #leavePath(at: number, skipped: readonly string[]): void {
    this.messages.splice(at);
    for (const [path, log] of this.#logs) {
      const start = log.findIndex(({ message = -1 }) => message >= at);
      const others = log.map((entry) =>
        (entry.message ?? -1) < at ? entry : { ...entry, message: undefined },
      );
      if (start >= 0) this.#logs.set(path, skipped.includes(path) ? others : log.slice(0, start));
      this.#known.set(path, this.files.get(path));
      if (skipped.includes(path)) this.#touch(path, undefined);
      this.#unlog(path, undefined);
    }
    this.#send();
  }

  #check(
    at: number,
    before: Files,
    { skipped, reversals }: ReversalPlan,
    isChanged: ReadonlySet<string>,
  ): void {
    for (const path of paths) {
      const [old, now] = [before.get(path), this.files.get(path)];
      if (old !== now) assert.ok(reversals.some((step) => step.path === path && step.write));
      if (skipped.includes(path)) assert.equal(now, old, 'It is named, but not left.');
      const log = this.#logs.get(path) ?? [];
      if (log.some(({ isOutOfOrder }) => isOutOfOrder)) continue;
      const { files = before, touched } = this.messages[at] ?? {};
      if (touched?.has(path) === false) this.#checkText(path, now, files.get(path));
      const [first, ...later] = log.slice(log.findIndex(({ message = -1 }) => message >= at));
      const isOfChat = (first?.message ?? -1) >= at;
      const isTheirs = later.some(({ message = -1 }) => message < at);
      // Somebody deleted a new file, and the chat created it again.
      const isGone = isOfChat && first?.before === undefined && now === undefined;
      if (isGone) assert.ok((log.at(-1)?.message ?? -1) >= at || old === undefined);
      else if (!isOfChat || isTheirs) assert.equal(now, old, 'A text of somebody else is lost.');
      else if (this.#converted.has(path)) this.#checkEnds(path, now);
      else this.#checkText(path, now, first?.before);
      const isNamed = !isChanged.has(path) || old === undefined || skipped.includes(path);
      if (isOfChat && isTheirs && !isGone) assert.ok(isNamed, 'It is left, but not named.');
    }
  }

  #checkText(path: string, now: string | undefined, before: string | undefined): void {
    const message = 'It is not as it was before the message.';
    if (this.#convertedOnce.has(path)) assert.ok(isSame(now, before), message);
    else assert.equal(now, before, message);
  }

  #checkEnds(path: string, text = ''): void {
    const wanted = this.#converted.get(path);
    assert.ok((text.match(/\r\n?|\n/g) ?? []).every((end) => end === wanted));
  }

  async #listed(turns: readonly string[]): Promise<readonly (readonly FileChange[])[]> {
    return Promise.all(turns.map((turn) => this.rig.changes.list(turn)));
  }

  /** Logs a change that somebody else has made since the last look. */
  #noteOthers(path: string): void {
    const [known, now] = [this.#known.get(path), this.files.get(path)];
    if (!isSame(known, now))
      this.#log(path, { message: undefined, before: known, isOutOfOrder: false });
  }

  #touch(path: string, by: number | undefined): void {
    for (const [message, { touched }] of this.messages.entries())
      if (by === undefined || by < message) touched.add(path);
  }

  #log(path: string, entry: LogEntry): void {
    this.#touch(path, entry.message);
    this.#logs.set(path, [...(this.#logs.get(path) ?? []), entry]);
    if (!this.#unlog(path, entry.message)) this.#note(path);
  }

  /** Removes log entries that the message has reverted, if they are the last ones. */
  #unlog(path: string, by: number | undefined): boolean {
    const log = this.#logs.get(path) ?? [];
    const start = log.findLastIndex(({ before }) => isSame(before, this.files.get(path)));
    if (start < 0 || log.slice(start).some(({ message }) => message !== by)) return false;
    this.#logs.set(path, log.slice(0, start));
    this.#note(path);
    return true;
  }

  #note(path: string): void {
    const text = this.files.get(path);
    this.#known.set(path, text);
    if (text !== undefined) this.#texts.set(path, [...(this.#texts.get(path) ?? []), text]);
  }
}

describe('restoring files to before a message', () => {
  it("restores the previous bytes, overwrites no others' changes, and can be undone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(first, first, first),
        fc.array(happening, { minLength: 4, maxLength: 30 }),
        async (start, all) => {
          const workspace = new Workspace(start);
          for (const [what, path, chance] of all) await workspace.happen(what, path, chance);
          await workspace.happen('restore', 'a', 0);
        },
      ),
      { seed, numRuns: 1000 },
    );
  });
});
