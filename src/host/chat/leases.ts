import * as z from 'zod/mini';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { parseJson } from '../../core/support/json.ts';

/** Small files in one folder, which all windows share. */
export interface LeaseFiles {
  names(): Promise<readonly string[]>;
  /** Undefined if there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Resolves with false if the file exists. */
  create(name: string, text: string): Promise<boolean>;
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The process of this window, as others on the same machine can look for it. */
export interface HostProcess {
  /** The machine since it was started; empty where processes cannot be looked for. */
  readonly machine: string;
  readonly id: number;
  isRunning(id: number): boolean;
}

/** Where no process can be looked for. */
export const noProcess: HostProcess = { machine: '', id: 0, isRunning: () => false };

export interface LeasesOptions {
  readonly files: LeaseFiles;
  readonly host: HostProcess;
  /** The workspace of the window; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
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

/** Milliseconds between two signs of life, and those after which a writer without one is gone. */
const beatInterval = 10_000;
const maxSilence = 60_000;

/**
 * Which window writes which chat. Each lease of a chat is a file with the next higher number, the
 * generation, and the highest one counts: only one window can create it. Others take a chat over
 * when its writer is gone, and the writer finds that out before its next line.
 */
export class Leases implements Disposable {
  readonly #options: LeasesOptions;
  readonly #writer = newId();
  /** Held generations by conversation. */
  readonly #held = new Map<string, number>();
  #timer: Disposable | undefined;
  #isClosed = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  holds(conversation: string): boolean {
    return this.#held.has(conversation);
  }

  /** Makes this window the writer of a chat; false while another one is. */
  async claim(conversation: string): Promise<boolean> {
    if (this.#isClosed) throw new Error('The window is closing.');
    const held = this.#held.get(conversation);
    const last = await this.#last(conversation);
    if (held !== undefined && last !== undefined) {
      const isOurs = last.generation === held && last.lease?.writer === this.#writer;
      if (!isOurs) this.#held.delete(conversation);
      return isOurs;
    }
    if (last?.lease !== undefined && this.#isAlive(last.lease)) return false;
    return this.#create(conversation, (last?.generation ?? 0) + 1);
  }

  /** Another chat was opened: nobody needs to find this one. */
  async release(conversation: string): Promise<void> {
    const generation = this.#held.get(conversation);
    if (generation === undefined) return;
    this.#held.delete(conversation);
    await this.#options.files.remove(nameOf(conversation, generation)).catch(ignore);
  }

  /** The window closes: its chats can be taken over at once, and are found by the next window. */
  async close(): Promise<void> {
    const held = [...this.#held];
    this.dispose();
    const text = this.#text(false);
    const { files } = this.#options;
    await Promise.all(
      held.map(([conversation, generation]) =>
        files.replace(nameOf(conversation, generation), text).catch(ignore),
      ),
    );
  }

  /** Chats of this workspace that were open in windows that are gone, the latest first. */
  async abandoned(): Promise<readonly string[]> {
    const found = new Map<string, number>();
    for (const conversation of new Set((await this.#files()).map((file) => file.conversation))) {
      const { lease } = (await this.#last(conversation)) ?? {};
      if (lease?.workspace !== this.#options.workspace || this.#isAlive(lease)) continue;
      found.set(conversation, lease.at);
    }
    return [...found].sort(([, one], [, other]) => other - one).map(([name]) => name);
  }

  dispose(): void {
    this.#isClosed = true;
    this.#timer?.dispose();
    this.#held.clear();
  }

  async #create(conversation: string, generation: number): Promise<boolean> {
    const { files } = this.#options;
    if (!(await files.create(nameOf(conversation, generation), this.#text(true)))) return false;
    // Where files cannot be created exclusively, the later one counts.
    const last = await this.#last(conversation);
    if (last?.generation !== generation || last.lease?.writer !== this.#writer) return false;
    this.#held.set(conversation, generation);
    this.#beatLater();
    const older = await this.#files(conversation);
    for (const file of older) {
      if (file.generation < generation) await files.remove(file.name).catch(ignore);
    }
    return true;
  }

  #beatLater(): void {
    this.#timer?.dispose();
    this.#timer = this.#options.clock.after(beatInterval, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    for (const [conversation, generation] of this.#held) {
      // Where it fails, others take the chat over, which is found out before the next line.
      await this.#options.files
        .replace(nameOf(conversation, generation), this.#text(true))
        .catch(ignore);
    }
    if (this.#held.size > 0) this.#beatLater();
  }

  #isAlive({ machine, hostProcess: id, isOpen, at }: Lease): boolean {
    const { host, clock } = this.#options;
    if (!isOpen || Math.abs(clock.wall() - at) > maxSilence) return false;
    return machine === '' || machine !== host.machine || host.isRunning(id);
  }

  async #last(conversation: string): Promise<{ generation: number; lease?: Lease } | undefined> {
    const last = (await this.#files(conversation)).at(-1);
    if (last === undefined) return undefined;
    const text = await this.#options.files.read(last.name);
    const lease = leaseText.safeParse(parseJson(text ?? '')).data;
    return { generation: last.generation, ...(lease && { lease }) };
  }

  /** Leases, the oldest first. */
  async #files(conversation?: string): Promise<readonly LeaseFile[]> {
    const files = (await this.#options.files.names()).flatMap(leaseFile);
    return files
      .filter((file) => conversation === undefined || file.conversation === conversation)
      .sort((one, other) => one.generation - other.generation);
  }

  #text(isOpen: boolean): string {
    const { host, workspace, clock } = this.#options;
    const lease: Lease = {
      writer: this.#writer,
      machine: host.machine,
      hostProcess: host.id,
      workspace,
      isOpen,
      at: clock.wall(),
    };
    return JSON.stringify(lease);
  }
}

interface LeaseFile {
  readonly name: string;
  readonly conversation: string;
  readonly generation: number;
}

function nameOf(conversation: string, generation: number): string {
  return `${conversation}.${generation}.json`;
}

function leaseFile(name: string): readonly LeaseFile[] {
  const [, conversation, generation] = /^([\w-]+)\.(\d+)\.json$/.exec(name) ?? [];
  return conversation === undefined ? [] : [{ name, conversation, generation: Number(generation) }];
}

function ignore(): void {
  // A lease that is left behind is found to be of a window that is gone.
}
