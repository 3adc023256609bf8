import * as z from 'zod/mini';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { countChangedLines } from '../../core/edits/lineDiff.ts';
import { withLineEndings } from '../../core/edits/lineEndings.ts';
import { withoutNumbers } from '../../core/edits/notebookText.ts';
import { parseJson } from '../../core/support/json.ts';
import type { KeptFiles } from '../platform/keptFiles.ts';

const version = 1;

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const approved = z.object({ location, ofGit: z.boolean(), hasHardLinks: z.boolean() });

const entry = z.object({
  id: z.string().check(z.regex(/^\d+$/)),
  path: z.string(),
  kind: z.enum(['edit', 'create']),
  location,
  addedLines: z.number(),
  removedLines: z.number(),
  status: z.enum(['changed', 'kept', 'undone']),
  encoding: z.optional(z.string()),
  /**
   * True if a new file was already deleted when it was undone, so that there is nothing to redo.
   */
  wasGone: z.optional(z.boolean()),
  /** True if the person had kept the change before it was undone with later ones. */
  wasKept: z.optional(z.boolean()),
  restore: z.optional(z.string()),
  /** The location where it was approved; absent in records of earlier versions. */
  approved: z.optional(approved),
});
export type ChangeEntry = z.infer<typeof entry>;

const record = z.object({
  version: z.literal(version),
  entries: z.array(entry),
  /** Changes that are being written; their window was killed if they are found later. */
  planned: z.optional(
    z.array(
      z.object({
        path: z.string(),
        kind: z.enum(['edit', 'create']),
        location,
        before: z.string(),
        after: z.string(),
        approved,
      }),
    ),
  ),
});
/** The changes of a turn. */
type ChangeRecord = Omit<z.infer<typeof record>, 'version'>;

export interface ChangeTexts extends ChangeEntry {
  readonly before: string;
  readonly after: string;
}

export interface TurnChange {
  readonly turn: string;
  readonly change: ChangeTexts;
}

/** Stores the changes of turns, with the texts needed for undo. They survive reloads. */
export class ChangeStore {
  readonly #files: Pick<KeptFiles, 'read' | 'write'>;
  readonly #onError: (error: unknown) => void;
  /** Texts that could not be written, in memory until the window closes. */
  readonly #unsaved = new Map<string, string>();

  /** @param files the folder of the changes: a folder per chat, and in it one per turn */
  constructor(files: Pick<KeptFiles, 'read' | 'write'>, onError: (error: unknown) => void) {
    this.#files = files;
    this.#onError = onError;
  }

  async entries(chat: string, turn: string): Promise<readonly ChangeEntry[]> {
    return (await this.record(chat, turn)).entries;
  }

  /** Empty if what is stored is no record of this version. */
  async record(chat: string, turn: string): Promise<ChangeRecord> {
    const text = await this.#read(`${folderOf(chat, turn)}/changes.json`);
    return record.safeParse(parseJson(text ?? '')).data ?? { entries: [] };
  }

  /** Stores the record without the texts of its changes, which are in files of their own. */
  async setRecord(
    chat: string,
    turn: string,
    entries: readonly ChangeEntry[],
    writing?: ChangeRecord['planned'],
  ): Promise<void> {
    const text = JSON.stringify(record.parse({ version, entries, planned: writing }));
    await this.#write(`${folderOf(chat, turn)}/changes.json`, text);
  }

  /** A change with its texts; undefined if they are no longer stored. */
  async texts(chat: string, turn: string, change: ChangeEntry): Promise<ChangeTexts | undefined> {
    const [before, after] = await Promise.all([
      this.#read(textOf(chat, turn, change.id, 'before')),
      this.#read(textOf(chat, turn, change.id, 'after')),
    ]);
    return before === undefined || after === undefined ? undefined : { ...change, before, after };
  }

  /**
   * Changes of several turns with their texts; changes whose texts are no longer stored are
   * separate.
   */
  async changes(
    chat: string,
    turns: readonly string[],
    isMeant: (change: ChangeEntry) => boolean,
  ): Promise<{ readonly complete: readonly TurnChange[]; readonly lost: readonly ChangeEntry[] }> {
    const complete: TurnChange[] = [];
    const lost: ChangeEntry[] = [];
    for (const turn of turns) {
      for (const meant of (await this.entries(chat, turn)).filter(isMeant)) {
        const change = await this.texts(chat, turn, meant);
        if (change === undefined) lost.push(meant);
        else complete.push({ turn, change });
      }
    }
    return { complete, lost };
  }

  /** @param stored texts that are stored already, and aren't written again */
  async setTexts(
    chat: string,
    turn: string,
    { id, before, after }: ChangeTexts,
    stored?: ChangeTexts,
  ): Promise<void> {
    if (before !== stored?.before) await this.#write(textOf(chat, turn, id, 'before'), before);
    if (after !== stored?.after) await this.#write(textOf(chat, turn, id, 'after'), after);
  }

  async #read(path: string): Promise<string | undefined> {
    return this.#unsaved.get(path) ?? (await this.#files.read(path));
  }

  async #write(path: string, text: string): Promise<void> {
    try {
      await this.#files.write(path, text);
      this.#unsaved.delete(path);
    } catch (error) {
      this.#unsaved.set(path, text);
      this.#onError(error);
    }
  }
}

function textOf(chat: string, turn: string, id: string, side: 'before' | 'after'): string {
  return `${folderOf(chat, turn)}/${checked(id)}.${side}.txt`;
}

function folderOf(chat: string, turn: string): string {
  return `${checked(chat)}/${checked(turn)}`;
}

/** Checks an id: the host creates ids, but gets them back from the view and from storage. */
function checked(id: string): string {
  if (!/^[\w-]{1,200}$/.test(id)) throw new Error('This is not the ID of a chat, turn, or change.');
  return id;
}

/** The entry without the fields that only the host uses. */
export function toFileChange(change: ChangeEntry): FileChange {
  const { id, path, kind, addedLines, removedLines, status } = change;
  return { id, path, kind, addedLines, removedLines, status };
}

/** Counts added and removed lines, ignoring differences in line endings. */
export function changedLineCounts(
  before: string,
  after: string,
): Pick<ChangeEntry, 'addedLines' | 'removedLines'> {
  const { added, removed } = countChangedLines(
    withoutNumbers(withLineEndings(before, '\n')),
    withoutNumbers(withLineEndings(after, '\n')),
  );
  return { addedLines: added, removedLines: removed };
}

const day = 24 * 60 * 60 * 1000;
/** Milliseconds for which changes can be undone. */
const longestTime = 30 * day;
/**
 * Milliseconds for which changes of unknown chats are kept: another window may be about to write
 * the journal.
 */
const shortestTime = day;
/** Maximum bytes of all turns together. */
const mostBytes = 200_000_000;

interface StoredTurn {
  readonly chat: string;
  readonly folder: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last write, in milliseconds since the Unix epoch. */
  readonly writtenAt: number;
}

/**
 * Deletes the changes of turns of deleted chats, those that are too old, and the oldest beyond the
 * size limit.
 *
 * @param files the folder of the changes
 * @param now milliseconds since the Unix epoch
 */
export async function removeExpired(
  files: KeptFiles,
  chats: () => Promise<readonly string[]>,
  now: number,
): Promise<void> {
  const turns: StoredTurn[] = [];
  for (const chat of await files.folders()) {
    for (const turn of await files.folders(chat)) {
      const folder = `${chat}/${turn}`;
      const names = await files.names(folder);
      const statuses = await Promise.all(names.map((name) => files.status(`${folder}/${name}`)));
      const size = statuses.reduce((sum, status) => sum + (status?.size ?? 0), 0);
      const writtenAt = Math.max(0, ...statuses.map((status) => status?.modified ?? 0));
      turns.push({ chat, folder, size, writtenAt });
    }
  }
  if (turns.length === 0) return;
  const known = new Set(await chats());
  let bytes = 0;
  for (const { chat, folder, size, writtenAt } of turns.toSorted(
    (a, b) => b.writtenAt - a.writtenAt,
  )) {
    const isOld = now - writtenAt > (known.has(chat) ? longestTime : shortestTime);
    if (!isOld) bytes += size;
    if (!isOld && bytes <= mostBytes) continue;
    await files.remove(folder);
    await files.removeEmpty(chat);
  }
}
