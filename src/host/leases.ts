import { sleep } from '../core/support/async.ts';
import { background, orUndefined } from '../core/support/background.ts';
import type { Clock } from '../core/support/clock.ts';
import { type Disposable, Emitter } from '../core/support/event.ts';
import { newId } from '../core/support/id.ts';
import * as z from 'zod/mini';
import { parseJson } from '../core/support/json.ts';

/** The process of this window, as other processes on the same machine can look it up. */
export interface HostProcess {
  /** The machine since it was started, or the browser; empty where processes cannot be looked for. */
  readonly machine: string;
  readonly id: number;
  isRunning(id: number): boolean | Promise<boolean>;
}

/** Used where processes can't be looked for. */
export const noProcess: HostProcess = { machine: '', id: 0, isRunning: () => false };

export interface LeasesOptions {
  readonly files: LeaseFiles;
  readonly host: HostProcess;
  /** Workspace of the window; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
}

/** Milliseconds between two signs of life, and after how many a silent writer counts as gone. */
const beatInterval = 10_000;
const maxSilence = 60_000;

/** Milliseconds between two looks at whether another window asks for a chat, or took one over. */
const lookInterval = 1000;

/** Milliseconds that an asked window has to leave a chat, and between two checks whether it has. */
const maxAnswerTime = 3500;
const answerInterval = 100;

/**
 * Milliseconds for which a lease counts as held without checking again, so that the lines of a turn
 * don't wait for one check each. Far less than the time after which a writer is passed over.
 */
const trustTime = 250;

/** Milliseconds for which a window that was closed may come back: a reload opens it again. */
const reopenTime = 15_000;

interface HeldLease {
  readonly generation: number;
  /** True once another window asks for the chat. */
  isAsked: boolean;
  /** Start of the last check that confirmed this lease, by the monotonic clock. */
  foundAt: number;
}

interface SilentLease {
  /** Time of the last sign of life. */
  readonly at: number;
  /** Time of the last look, by the monotonic clock, and the silence until then. */
  readonly seenAt: number;
  readonly silence: number;
}

/**
 * Decides which window writes which chat. Each lease of a chat is a file with the next higher number,
 * its generation, and the highest one counts: only one window can create it. Other windows take a chat
 * over when its writer is gone, left it when asked, or didn't answer. A writer that was passed over
 * notices before it writes the next line.
 */
export class Leases implements Disposable {
  readonly #options: LeasesOptions;
  readonly #folder: LeaseFolder;
  readonly #writer = newId();
  readonly #held = new Map<string, HeldLease>();
  /** The last step of each chat. The next one waits for it, so that steps see a consistent state. */
  readonly #steps = new Map<string, Promise<unknown>>();
  /** The leases of other windows that gave no sign of life when this window last looked. */
  readonly #silent = new Map<string, SilentLease>();
  readonly #claimed = new Emitter<string>();
  readonly #requested = new Emitter<string>();
  readonly #lost = new Emitter<string>();
  #timer: Disposable | undefined;
  #beatAt = 0;
  #isClosed = false;

  /** Fires with a chat that this window begins to write. */
  readonly onDidClaim = this.#claimed.event;
  /** Fires with a chat of this window that another one asks for. */
  readonly onDidAsk = this.#requested.event;
  /** Fires with a chat of this window that another one was found to have taken over. */
  readonly onDidLose = this.#lost.event;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#folder = new LeaseFolder(options.files);
  }

  holds(conversation: string): boolean {
    return this.#held.has(conversation);
  }

  /** Makes this window the writer of a chat; false while another one is. */
  claim(conversation: string): Promise<boolean> {
    return this.#inTurn(conversation, () => this.#claim(conversation));
  }

  /**
   * Makes this window the writer of a chat that another one has. If that still runs, it is asked to
   * leave the chat, and is passed over when it does not do so within some seconds. False if a third
   * window was faster.
   */
  async takeOver(conversation: string): Promise<boolean> {
    const { clock } = this.#options;
    const { generation = 0 } = (await this.#folder.last(conversation)) ?? {};
    if (await this.claim(conversation)) return true;
    await this.#folder.ask(conversation, generation, this.#lease());
    const askedAt = clock.monotonic();
    while (clock.monotonic() - askedAt < maxAnswerTime) {
      await sleep(clock, answerInterval);
      if (await this.claim(conversation)) return true;
      const last = await this.#folder.last(conversation);
      if (last !== undefined && last.generation !== generation) return this.holds(conversation);
    }
    return this.#inTurn(conversation, () => this.#create(conversation, generation + 1));
  }

  /** Transfers a chat to the window that asked for it. */
  handOver(conversation: string): Promise<void> {
    return this.#inTurn(conversation, async () => {
      const held = this.#held.get(conversation);
      this.#held.delete(conversation);
      if (held !== undefined) await orUndefined(this.#replace(conversation, held, false));
    });
  }

  /**
   * The workspace of the other window that writes a chat, or that was just closed and may return;
   * undefined if there is none.
   */
  async holder(conversation: string): Promise<string | undefined> {
    const { lease } = (await this.#folder.last(conversation)) ?? {};
    if (lease === undefined || this.holds(conversation)) return undefined;
    const isBack = !lease.isOpen && this.#options.clock.wall() - lease.at < reopenTime;
    return isBack || (await this.#isAlive(conversation, lease)) ? lease.workspace : undefined;
  }

  /** Gives up the lease of a chat that this window has closed and no later one should reopen. */
  release(conversation: string): Promise<void> {
    return this.#inTurn(conversation, async () => {
      const held = this.#held.get(conversation);
      if (held === undefined) return;
      this.#held.delete(conversation);
      await orUndefined(this.#folder.remove(conversation, held.generation));
    });
  }

  /**
   * Marks the window as closed. Its chats can be taken over immediately, and the next window finds
   * them.
   */
  async close(): Promise<void> {
    const all = [...this.#held];
    this.dispose();
    await Promise.all(
      all.map(([conversation, held]) =>
        orUndefined(this.#inTurn(conversation, () => this.#replace(conversation, held, false))),
      ),
    );
  }

  /** Chats of this workspace that were open in windows that are gone, the latest first. */
  async abandoned(): Promise<readonly string[]> {
    const lastUsed = new Map<string, number>();
    const conversations = (await this.#folder.list()).map(({ conversation }) => conversation);
    for (const conversation of new Set(conversations)) {
      const { lease } = (await this.#folder.last(conversation)) ?? {};
      if (
        lease?.workspace !== this.#options.workspace ||
        (await this.#isAlive(conversation, lease))
      )
        continue;
      lastUsed.set(conversation, lease.at);
    }
    return [...lastUsed].sort(([, a], [, b]) => b - a).map(([name]) => name);
  }

  dispose(): void {
    this.#isClosed = true;
    this.#timer?.dispose();
    this.#held.clear();
    for (const emitter of [this.#claimed, this.#requested, this.#lost]) emitter.dispose();
  }

  #inTurn<Result>(conversation: string, step: () => Promise<Result>): Promise<Result> {
    const result = (this.#steps.get(conversation) ?? Promise.resolve()).then(step);
    const ended = orUndefined(result).finally(() => {
      if (this.#steps.get(conversation) === ended) this.#steps.delete(conversation);
    });
    this.#steps.set(conversation, ended);
    return result;
  }

  async #claim(conversation: string): Promise<boolean> {
    if (this.#isClosed) throw new Error('The window is closing.');
    const held = this.#held.get(conversation);
    const now = this.#options.clock.monotonic();
    if (held !== undefined && now - held.foundAt < trustTime) return true;
    const last = await this.#folder.last(conversation);
    if (held !== undefined) {
      if (!(await this.#keeps(conversation, held, last))) return false;
      held.foundAt = now;
      return true;
    }
    const lease = last?.lease;
    // A lease of this window that isn't held was given up.
    if (lease !== undefined && !this.#isOwn(lease)) {
      if (await this.#isAlive(conversation, lease)) return false;
    }
    return this.#create(conversation, (last?.generation ?? 0) + 1);
  }

  /** Resolves with true if a held lease is still valid. */
  async #keeps(conversation: string, held: HeldLease, last: StoredLease | undefined) {
    // A file that is being replaced can be missing from a listing, or have no text yet. If the
    // folder was emptied, no other window has the chat.
    const isKept =
      last === undefined
        ? (await this.#folder.create(conversation, held.generation, this.#lease())) ||
          this.#isOwn((await this.#folder.read(conversation, held.generation))?.lease)
        : last.generation === held.generation && this.#isOwn(last.lease);
    if (!isKept) this.#lose(conversation, held);
    return isKept && this.#held.get(conversation) === held;
  }

  #isOwn(lease: Lease | undefined): boolean {
    return lease === undefined || lease.writer === this.#writer;
  }

  #lose(conversation: string, held: HeldLease): void {
    if (this.#held.get(conversation) !== held) return;
    this.#held.delete(conversation);
    this.#lost.fire(conversation);
  }

  async #create(conversation: string, generation: number): Promise<boolean> {
    if (!(await this.#folder.create(conversation, generation, this.#lease())))
      return this.holds(conversation);
    // If files can't be created exclusively, the later one counts.
    const last = await this.#folder.last(conversation);
    if (last?.generation !== generation || last.lease?.writer !== this.#writer) return false;
    this.#held.set(conversation, { generation, isAsked: false, foundAt: -Infinity });
    this.#claimed.fire(conversation);
    if (this.#timer === undefined) this.#beatAt = this.#options.clock.monotonic();
    this.#lookLater();
    await this.#folder.removeBefore(conversation, generation);
    return true;
  }

  /** Schedules the next check, unless this window writes no saved chat. */
  #lookLater(): void {
    if (this.#held.size === 0) return;
    this.#timer ??= this.#options.clock.after(lookInterval, () => background(this.#look()));
  }

  /** Checks all held leases with one listing. */
  async #look(): Promise<void> {
    // The next check finds the others.
    const listed = (await orUndefined(this.#folder.list())) ?? [];
    for (const [conversation, held] of this.#held)
      this.#check(
        conversation,
        held,
        listed.filter((file) => file.conversation === conversation),
      );
    const now = this.#options.clock.monotonic();
    if (now - this.#beatAt >= beatInterval) await this.#beat();
    this.#timer = undefined;
    if (!this.#isClosed) this.#lookLater();
  }

  #check(conversation: string, held: HeldLease, files: readonly LeaseFile[]): void {
    const isPassed = files.some(
      ({ kind, generation }) => kind === 'lease' && generation > held.generation,
    );
    const isAsked = files.some(
      ({ kind, generation }) => kind === 'asked' && generation === held.generation,
    );
    if (isPassed) this.#lose(conversation, held);
    else if (isAsked && !held.isAsked) {
      held.isAsked = true;
      this.#requested.fire(conversation);
    }
  }

  async #beat(): Promise<void> {
    this.#beatAt = this.#options.clock.monotonic();
    // If it fails, other windows take the chat over, and this one notices before its next line.
    for (const [conversation, held] of this.#held)
      // A lease that is released or handed over meanwhile must stay so.
      await orUndefined(
        this.#inTurn(conversation, async () => {
          if (this.#held.get(conversation) === held) await this.#replace(conversation, held, true);
        }),
      );
  }

  /** Writes a lease again, unless another window has replaced its file. */
  async #replace(conversation: string, { generation }: HeldLease, isOpen: boolean): Promise<void> {
    const stored = await this.#folder.read(conversation, generation);
    if (stored !== undefined && this.#isOwn(stored.lease))
      await this.#folder.replace(conversation, generation, this.#lease(isOpen));
  }

  /**
   * True if the window of a lease may still write. One on another machine gives a sign of life in
   * time. One on this machine may have slept with it: while its process runs, it is gone only if
   * this window has looked at it for that time.
   */
  async #isAlive(conversation: string, lease: Lease): Promise<boolean> {
    const { host, clock } = this.#options;
    const isRecent = Math.abs(clock.wall() - lease.at) <= maxSilence;
    const isHere = lease.machine !== '' && lease.machine === host.machine;
    if (!lease.isOpen || !isHere) return lease.isOpen && isRecent;
    const isRunning = await host.isRunning(lease.hostProcess);
    return isRunning && (isRecent || this.#silenceOf(conversation, lease) <= maxSilence);
  }

  /** Milliseconds for which this window was awake and saw no sign of life of a lease's writer. */
  #silenceOf(conversation: string, { at }: Lease): number {
    const now = this.#options.clock.monotonic();
    const last = this.#silent.get(conversation);
    const awake = last === undefined ? 0 : Math.min(now - last.seenAt, maxAnswerTime);
    const silence = last?.at === at ? last.silence + awake : 0;
    this.#silent.set(conversation, { at, seenAt: now, silence });
    return silence;
  }

  #lease(isOpen = true): Lease {
    const { host, workspace, clock } = this.#options;
    return {
      writer: this.#writer,
      machine: host.machine,
      hostProcess: host.id,
      workspace,
      isOpen,
      at: clock.wall(),
    };
  }
}

export interface LeaseFiles {
  names(): Promise<readonly string[]>;
  /** Undefined if there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Resolves with false if the file exists. */
  create(name: string, text: string): Promise<boolean>;
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const leaseText = z.object({
  writer: z.string(),
  machine: z.string(),
  hostProcess: z.number(),
  workspace: z.string(),
  isOpen: z.boolean(),
  at: z.number(),
});
type Lease = z.infer<typeof leaseText>;

interface StoredLease {
  readonly generation: number;
  /** Undefined if the file can't be read. */
  readonly lease: Lease | undefined;
}

const endings = { lease: 'json', asked: 'asked' } as const;

/** A lease, or the file that another window writes to ask for the chat. */
type LeaseFileKind = keyof typeof endings;

interface LeaseFile {
  readonly name: string;
  readonly kind: LeaseFileKind;
  readonly conversation: string;
  readonly generation: number;
}

/** The files of leases: one for each generation of a chat's lease, and for each request for it. */
class LeaseFolder {
  readonly #files: LeaseFiles;

  constructor(files: LeaseFiles) {
    this.#files = files;
  }

  /** All files, or those of one chat. */
  async list(conversation?: string): Promise<readonly LeaseFile[]> {
    const files = (await this.#files.names()).flatMap(leaseFile);
    return files.filter((file) => conversation === undefined || file.conversation === conversation);
  }

  /** The lease with the highest generation, which counts; undefined if there is none. */
  async last(conversation: string): Promise<StoredLease | undefined> {
    const generations = (await this.list(conversation))
      .filter(({ kind }) => kind === 'lease')
      .map(({ generation }) => generation);
    if (generations.length === 0) return undefined;
    const generation = Math.max(...generations);
    return (await this.read(conversation, generation)) ?? { generation, lease: undefined };
  }

  /** Undefined if there is no file. */
  async read(conversation: string, generation: number): Promise<StoredLease | undefined> {
    const text = await this.#files.read(nameOf(conversation, generation));
    if (text === undefined) return undefined;
    return { generation, lease: leaseText.safeParse(parseJson(text)).data };
  }

  /** Resolves with false if there is a lease of this generation. */
  create(conversation: string, generation: number, lease: Lease): Promise<boolean> {
    return this.#files.create(nameOf(conversation, generation), JSON.stringify(lease));
  }

  /** Asks the writer of this generation to leave the chat. */
  async ask(conversation: string, generation: number, lease: Lease): Promise<void> {
    await this.#files.create(nameOf(conversation, generation, 'asked'), JSON.stringify(lease));
  }

  replace(conversation: string, generation: number, lease: Lease): Promise<void> {
    return this.#files.replace(nameOf(conversation, generation), JSON.stringify(lease));
  }

  remove(conversation: string, generation: number): Promise<void> {
    return this.#files.remove(nameOf(conversation, generation));
  }

  /** Removes what this generation of a lease replaces. */
  async removeBefore(conversation: string, generation: number): Promise<void> {
    for (const file of await this.list(conversation))
      if (file.kind === 'asked' || file.generation < generation)
        await orUndefined(this.#files.remove(file.name));
  }
}

function nameOf(conversation: string, generation: number, kind: LeaseFileKind = 'lease'): string {
  return `${conversation}.${generation}.${endings[kind]}`;
}

function leaseFile(name: string): readonly LeaseFile[] {
  const [, conversation, generation, ending] = /^([\w-]+)\.(\d+)\.(json|asked)$/.exec(name) ?? [];
  if (conversation === undefined) return [];
  const kind = ending === endings.asked ? 'asked' : 'lease';
  return [{ name, kind, conversation, generation: Number(generation) }];
}
