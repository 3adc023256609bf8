import * as z from 'zod/mini';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/id.ts';
import {
  keyOfScope,
  type CommandScope,
  type Grant,
  type GrantHolder,
  type GrantOffer,
  type GrantScope,
} from './grantScope.ts';

/** Lifetime of a chat's grant in milliseconds: 8 hours. */
const chatGrantLifetime = 8 * 60 * 60 * 1000;

/** Lifetime of a stored grant in milliseconds: 90 days. */
export const storedGrantLifetime = 90 * 24 * 60 * 60 * 1000;

/**
 * Stores the grants of each workspace where no tool and no repository can write. Each grant is a
 * separate record, keyed by its scope, so that windows don't overwrite each other's grants.
 */
export interface GrantStore {
  read(workspace: string): readonly unknown[];
  /** Replaces one record; undefined removes it. */
  write(workspace: string, key: string, record: unknown): PromiseLike<void>;
}

interface GrantsOptions {
  readonly store: GrantStore;
  readonly clock: Clock;
  readonly major: string;
}

/**
 * The person's grants: for a chat, or permanently for a workspace. A workspace is identified by
 * `workspaceIdentity`, which is empty if nothing can be stored. A caller without a conversation has
 * no grants.
 */
export class Grants {
  readonly #options: GrantsOptions;
  readonly #chat: ChatGrants;
  /** Number of times that the grants of all chats, and of each chat, were ended. */
  #ends = 0;
  readonly #endsOfChat = new Map<string, number>();

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.#chat = new ChatGrants(options.clock);
  }

  /** Changes when the grants of a chat end. */
  lifeOf(conversation: string | undefined): string {
    return `${this.#ends} ${this.#endsOfChat.get(conversation ?? '') ?? 0}`;
  }

  /** The grant for an offer, if the person has given it before. */
  find({ lifetime, scope }: GrantOffer, holder: GrantHolder): Grant | undefined {
    const { conversation, workspace } = holder;
    if (conversation === undefined) return undefined;
    if (lifetime === 'chat') return this.#chat.find(scope, conversation);
    const key = keyOfScope(scope);
    const stored = this.#read(workspace).find(
      (record) => keyOfScope(scopeOfStored(record)) === key,
    );
    return stored === undefined ? undefined : grantOf(stored);
  }

  async add({ lifetime, scope }: GrantOffer, holder: GrantHolder): Promise<void> {
    const { conversation, workspace } = holder;
    if (conversation === undefined) return;
    if (lifetime === 'chat') this.#chat.add(scope, conversation);
    else if (workspace !== '') await this.#store(scope, workspace);
  }

  /** Counts a call that ran under the grant. */
  async use(grant: Grant, workspace: string): Promise<void> {
    if (grant.lifetime === 'chat') this.#chat.use(grant);
    else {
      const stored = this.#read(workspace).find(({ id }) => id === grant.id);
      // It may have been revoked in another window.
      if (stored !== undefined) await this.#write(workspace, { ...stored, uses: stored.uses + 1 });
    }
  }

  list(workspace: string): readonly Grant[] {
    return [...this.#chat.list(), ...this.#read(workspace).map(grantOf)];
  }

  hasOfChat(conversation: string): boolean {
    return this.#chat.has(conversation);
  }

  async revoke({ id, lifetime, scope }: Grant, workspace: string): Promise<void> {
    if (lifetime === 'chat') this.#chat.revoke(id);
    else await this.#options.store.write(workspace, keyOfScope(scope), undefined);
  }

  /**
   * Ends the grants of all chats: called when the key, the service, the folders or the trust
   * change.
   */
  endAll(): void {
    this.#ends += 1;
    this.#endsOfChat.clear();
    this.#chat.clear();
  }

  /** Ends the grants of a chat: called when it was closed, or read again. */
  endChat(conversation: string): void {
    this.#endsOfChat.set(conversation, (this.#endsOfChat.get(conversation) ?? 0) + 1);
    this.#chat.end(conversation);
  }

  async #store({ command, folder, shell }: CommandScope, workspace: string): Promise<void> {
    const { clock, major } = this.#options;
    const since = clock.wall();
    await this.#write(workspace, { id: newId(), command, folder, shell, since, uses: 0, major });
  }

  #read(workspace: string): readonly StoredGrant[] {
    if (workspace === '') return [];
    const { store, clock, major } = this.#options;
    const stored = store.read(workspace).flatMap((record) => readGrantRecord(record) ?? []);
    return stored.filter((grant) => {
      const age = clock.wall() - grant.since;
      // A grant from the future was written by another clock.
      return grant.major === major && age >= 0 && age < storedGrantLifetime;
    });
  }

  async #write(workspace: string, grant: StoredGrant): Promise<void> {
    const key = keyOfScope(scopeOfStored(grant));
    await this.#options.store.write(workspace, key, { version: recordVersion, grant });
  }
}

function grantOf(stored: StoredGrant): Grant {
  const { id, since, uses } = stored;
  return { id, lifetime: 'workspace', scope: scopeOfStored(stored), since, uses };
}

interface Entry {
  readonly conversation: string;
  grant: Grant;
  /** On the monotonic clock, which cannot be set back but may stop during sleep. */
  readonly monotonic: number;
}

class ChatGrants {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(scope: GrantScope, conversation: string): Grant | undefined {
    this.#dropOld();
    return this.#entries.get(keyInChat(scope, conversation))?.grant;
  }

  add(scope: GrantScope, conversation: string): void {
    const since = this.#clock.wall();
    const grant: Grant = { id: newId(), lifetime: 'chat', scope, since, uses: 0 };
    const entry = { conversation, grant, monotonic: this.#clock.monotonic() };
    this.#entries.set(keyInChat(scope, conversation), entry);
  }

  use({ id }: Grant): void {
    const entry = [...this.#entries.values()].find(({ grant }) => grant.id === id);
    if (entry !== undefined) entry.grant = { ...entry.grant, uses: entry.grant.uses + 1 };
  }

  revoke(id: string): void {
    for (const [key, { grant }] of this.#entries) if (grant.id === id) this.#entries.delete(key);
  }

  list(): readonly Grant[] {
    this.#dropOld();
    return [...this.#entries.values()].map(({ grant }) => grant);
  }

  has(conversation: string): boolean {
    this.#dropOld();
    return [...this.#entries.values()].some((entry) => entry.conversation === conversation);
  }

  clear(): void {
    this.#entries.clear();
  }

  end(conversation: string): void {
    for (const [key, entry] of this.#entries)
      if (entry.conversation === conversation) this.#entries.delete(key);
  }

  #dropOld(): void {
    for (const [key, { grant, monotonic }] of this.#entries) {
      const passed = this.#clock.wall() - grant.since;
      const isOld =
        this.#clock.monotonic() - monotonic >= chatGrantLifetime || passed >= chatGrantLifetime;
      if (isOld) this.#entries.delete(key);
    }
  }
}

function keyInChat(scope: GrantScope, conversation: string): string {
  return JSON.stringify([conversation, keyOfScope(scope)]);
}

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const storedGrant = z.object({
  id: z.string(),
  command: z.string(),
  folder: location,
  shell: z.string(),
  since: z.number(),
  uses: z.number(),
  /** Major version of the extension. Grants of another major version are invalid. */
  major: z.string(),
});

type StoredGrant = z.infer<typeof storedGrant>;

const recordVersion = 2;
const grantRecord = z.object({ version: z.literal(recordVersion), grant: storedGrant });

/** Parses the record of a grant; undefined if it is damaged or of another version. */
export function readGrantRecord(stored: unknown): StoredGrant | undefined {
  return grantRecord.safeParse(stored).data?.grant;
}

function scopeOfStored({ command, folder, shell }: StoredGrant): CommandScope {
  return { type: 'command', command, folder, shell };
}
