import * as z from 'zod/mini';
import { orUndefined } from '../core/support/background.ts';
import { parseJson } from '../core/support/json.ts';

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
export type Lease = z.infer<typeof leaseText>;

export interface StoredLease {
  readonly generation: number;
  /** Undefined if the file can't be read. */
  readonly lease: Lease | undefined;
}

const endings = { lease: 'json', asked: 'asked' } as const;

/** A lease, or the file that another window writes to ask for the chat. */
type LeaseFileKind = keyof typeof endings;

export interface LeaseFile {
  readonly name: string;
  readonly kind: LeaseFileKind;
  readonly conversation: string;
  readonly generation: number;
}

/** The files of leases: one for each generation of a chat's lease, and for each request for it. */
export class LeaseFolder {
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
