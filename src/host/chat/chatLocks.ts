import * as z from 'zod/mini';
import { TaskQueue } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { KeptFiles } from '../platform/keptFiles.ts';
import type { HostProcess } from '../platform/platform.ts';
import type { Clock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, Emitter } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { parseJson } from '../../core/support/json.ts';

/** The folder of the locks. */
export type LockFiles = Pick<KeptFiles, 'names' | 'read' | 'create' | 'replace' | 'remove'>;

/** Milliseconds between two renewals of a lock, and after how many a silent one is free. */
const renewal = 20_000;
const maxSilence = 60_000;

const lockText = z.object({
  /** Random id of the window: another process may have the same number later. */
  window: z.string(),
  machine: z.string(),
  process: z.number(),
  /** Time of the last renewal. */
  at: z.number(),
});
type Lock = z.infer<typeof lockText>;

/**
 * Decides which window writes which chat. The lock of a chat is the file `ID.NUMBER.lock`. It is
 * created exclusively: on a disk by a link, which fails if the file exists; on other file systems of
 * VS Code by a rename that overwrites nothing, and where two windows still succeed, the text that
 * stays counts.
 *
 * A lock is free when its process is gone, or when it is older than a minute. Nobody removes the
 * lock of another window to take its chat, since two could do so at once: they create the next
 * number, which only one can, and the highest number counts. A window that slept finds that before
 * it writes.
 */
export class ChatLocks implements Disposable {
  readonly #files: LockFiles;
  readonly #host: HostProcess;
  readonly #clock: Clock;
  readonly #window = newId();
  /** The number of each lock that this window holds, by the id of its chat. */
  readonly #held = new Map<string, number>();
  /** One step at a time, so that a release doesn't come between the check and write of a renewal. */
  readonly #steps = new TaskQueue();
  readonly #acquired = new Emitter<string>();
  readonly #lost = new Emitter<string>();
  #timer: Disposable | undefined;
  #isClosed = false;

  /** Fires with a chat that this window begins to write. */
  readonly onDidAcquire = this.#acquired.event;
  /** Fires with a chat of this window that another one was found to write. */
  readonly onDidLose = this.#lost.event;

  constructor(files: LockFiles, host: HostProcess, clock: Clock) {
    this.#files = files;
    this.#host = host;
    this.#clock = clock;
  }

  holds(chat: string): boolean {
    return this.#held.has(chat);
  }

  /**
   * Makes this window the writer of a chat, or checks that it still is. Must be called right before
   * each write. Resolves with false if another window is the writer, and rejects if no lock can be
   * created.
   */
  acquire(chat: string): Promise<boolean> {
    return this.#steps.run(async () => {
      if (this.#isClosed) throw new Error('The window is closing.');
      if (this.#held.has(chat)) return this.#keeps(chat);
      const last = await this.#last(chat);
      if (last?.lock !== undefined && (await this.#isInUse(last.lock))) return false;
      return this.#create(chat, (last?.number ?? 0) + 1);
    });
  }

  /** Lets other windows write a chat. */
  release(chat: string): Promise<void> {
    return this.#steps.run(() => this.#remove(chat));
  }

  /** Lets other windows write all chats, since this window ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#steps.run(async () => {
      for (const chat of this.#held.keys()) await this.#remove(chat);
    });
    this.dispose();
  }

  dispose(): void {
    this.#isClosed = true;
    this.#timer?.dispose();
    disposeAll([this.#acquired, this.#lost]);
  }

  /** True if a held lock still counts. If somebody has emptied the folder, it is created again. */
  async #keeps(chat: string): Promise<boolean> {
    const number = this.#held.get(chat) ?? 0;
    let last = await this.#last(chat);
    if (last === undefined) {
      if (await this.#files.create(nameOf(chat, number), this.#text())) return true;
      // A file that is being replaced can be missing from a listing.
      last = await this.#last(chat);
    }
    // Nobody else writes a file with this number, so one without a readable text is ours.
    if (last?.number === number && [undefined, this.#window].includes(last.lock?.window))
      return true;
    this.#held.delete(chat);
    this.#lost.fire(chat);
    return false;
  }

  async #create(chat: string, number: number): Promise<boolean> {
    const name = nameOf(chat, number);
    if (!(await this.#files.create(name, this.#text()))) return false;
    const last = await this.#last(chat);
    if (last?.number !== number) await this.#files.remove(name);
    if (last?.number !== number || last.lock?.window !== this.#window) return false;
    this.#held.set(chat, number);
    this.#acquired.fire(chat);
    this.#timer ??= this.#clock.after(renewal, () => background(this.#renew()));
    for (const file of await this.#filesOf(chat))
      if (file.number < number) await orUndefined(this.#files.remove(file.name));
    return true;
  }

  async #renew(): Promise<void> {
    for (const chat of this.#held.keys())
      // If it fails, the next write notices whether another window took the chat.
      await orUndefined(
        this.#steps.run(async () => {
          const number = this.#held.get(chat);
          if (number === undefined || this.#isClosed || !(await this.#keeps(chat))) return;
          await this.#files.replace(nameOf(chat, number), this.#text());
        }),
      );
    this.#timer =
      this.#held.size === 0 || this.#isClosed
        ? undefined
        : this.#clock.after(renewal, () => background(this.#renew()));
  }

  async #remove(chat: string): Promise<void> {
    const number = this.#held.get(chat);
    this.#held.delete(chat);
    // A lock that can't be removed is free when this process has ended, or after a minute.
    if (number !== undefined) await orUndefined(this.#files.remove(nameOf(chat, number)));
  }

  /** The lock that counts: the one with the highest number. `lock` is undefined if it is damaged. */
  async #last(chat: string): Promise<{ number: number; lock: Lock | undefined } | undefined> {
    const last = (await this.#filesOf(chat)).toSorted((a, b) => b.number - a.number)[0];
    if (last === undefined) return undefined;
    const text = (await this.#files.read(last.name)) ?? '';
    return { number: last.number, lock: lockText.safeParse(parseJson(text)).data };
  }

  async #filesOf(chat: string): Promise<readonly { name: string; number: number }[]> {
    return (await this.#files.names()).flatMap((name) => {
      const [, id, number] = /^([\w-]+)\.(\d+)\.lock$/.exec(name) ?? [];
      return id === chat ? [{ name, number: Number(number) }] : [];
    });
  }

  /** True if a lock that this window doesn't hold belongs to a window that may write. */
  async #isInUse({ window, machine, process, at }: Lock): Promise<boolean> {
    const isOld = Math.abs(this.#clock.wall() - at) > maxSilence;
    if (isOld || window === this.#window) return false;
    if (machine === '' || machine !== this.#host.machine) return true;
    // An earlier process had the number of this one.
    return process !== this.#host.id && (await this.#host.isRunning(process));
  }

  #text(): string {
    const { machine, id: process } = this.#host;
    const lock: Lock = { window: this.#window, machine, process, at: this.#clock.wall() };
    return JSON.stringify(lock);
  }
}

function nameOf(chat: string, number: number): string {
  return `${chat}.${number}.lock`;
}
