import * as z from 'zod/mini';
import type { Clock } from '../support/clock.ts';
import { Emitter, type Event } from '../support/event.ts';
import {
  keyOfScope,
  type CommandScope,
  type Grant,
  type GrantOffer,
  type GrantScope,
} from './grantScope.ts';

/** Maximum lifetime of a chat grant in milliseconds: 8 hours. */
const chatGrantLifetime = 8 * 60 * 60 * 1000;

/** Lifetime of a stored grant in milliseconds: 90 days. */
export const storedGrantLifetime = 90 * 24 * 60 * 60 * 1000;

/** Stores a record for each workspace, out of reach of tools and repositories. */
export interface GrantStore {
  read(workspace: string): unknown;
  write(workspace: string, record: unknown): PromiseLike<void>;
}

interface GrantsOptions {
  readonly store: GrantStore;
  readonly clock: Clock;
  /** The extension's major version. */
  readonly major: string;
  readonly newId: () => string;
}

/**
 * The grants of this chat and of the workspace. A workspace is identified by `workspaceIdentity`,
 * which is empty if nothing can be stored.
 */
export class Grants {
  readonly #options: GrantsOptions;
  readonly #chat: ChatGrants;
  readonly #changed = new Emitter<undefined>();
  #chatNumber = 0;

  readonly onDidChange: Event<undefined> = this.#changed.event;

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.#chat = new ChatGrants(options.clock, options.newId);
  }

  /** Changes when the grants of the chat have ended. */
  get chat(): number {
    return this.#chatNumber;
  }

  /** Finds the grant that matches an offer. */
  find({ lifetime, scope }: GrantOffer, workspace: string): Grant | undefined {
    if (lifetime === 'chat') return this.#chat.find(scope);
    const key = keyOfScope(scope);
    const stored = this.#read(workspace).find((one) => keyOfScope(scopeOfStored(one)) === key);
    return stored === undefined ? undefined : grantOf(stored);
  }

  async add({ lifetime, scope }: GrantOffer, workspace: string): Promise<void> {
    if (lifetime === 'chat') this.#chat.add(scope);
    else if (workspace !== '') await this.#store(scope, workspace);
    this.#changed.fire(undefined);
  }

  /** Counts a call that used the grant. */
  async use(grant: Grant, workspace: string): Promise<void> {
    if (grant.lifetime === 'chat') this.#chat.use(grant);
    else {
      const counted = this.#read(workspace).map((stored) =>
        stored.id === grant.id ? { ...stored, uses: stored.uses + 1 } : stored,
      );
      await this.#write(workspace, counted);
    }
    this.#changed.fire(undefined);
  }

  /** All valid grants, for display. */
  list(workspace: string): readonly Grant[] {
    return [...this.#chat.list(), ...this.#read(workspace).map(grantOf)];
  }

  async revoke({ id, lifetime }: Grant, workspace: string): Promise<void> {
    if (lifetime === 'chat') this.#chat.revoke(id);
    else {
      await this.#write(
        workspace,
        this.#read(workspace).filter((stored) => stored.id !== id),
      );
    }
    this.#changed.fire(undefined);
  }

  /**
   * Ends the grants of the chat: at a new chat, and when the key, the service, the folders or the
   * workspace trust change.
   */
  endChat(): void {
    this.#chatNumber += 1;
    this.#chat.clear();
    this.#changed.fire(undefined);
  }

  async #store({ command, folder, shell }: CommandScope, workspace: string): Promise<void> {
    const { clock, major, newId } = this.#options;
    const since = clock.wall();
    const grant = { id: newId(), command, folder, shell, since, uses: 0, major };
    const key = keyOfScope(scopeOfStored(grant));
    const others = this.#read(workspace).filter((one) => keyOfScope(scopeOfStored(one)) !== key);
    await this.#write(workspace, [...others, grant]);
  }

  #read(workspace: string): readonly StoredGrant[] {
    if (workspace === '') return [];
    const { store, clock, major } = this.#options;
    return readGrantRecord(store.read(workspace)).filter((grant) => {
      const age = clock.wall() - grant.since;
      // A grant from the future was written with a different system clock.
      return grant.major === major && age >= 0 && age < storedGrantLifetime;
    });
  }

  async #write(workspace: string, grants: readonly StoredGrant[]): Promise<void> {
    await this.#options.store.write(workspace, writeGrantRecord(grants));
  }
}

function grantOf(stored: StoredGrant): Grant {
  const { id, since, uses } = stored;
  return { id, lifetime: 'workspace', scope: scopeOfStored(stored), since, uses };
}

interface Entry {
  grant: Grant;
  /** Start time of the monotonic clock, which may have paused while the machine slept. */
  readonly monotonic: number;
}

/** The grants of this chat, kept only in memory. */
class ChatGrants {
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, newId: () => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  find(scope: GrantScope): Grant | undefined {
    this.#dropOld();
    return this.#entries.get(keyOfScope(scope))?.grant;
  }

  add(scope: GrantScope): void {
    const since = this.#clock.wall();
    const grant: Grant = { id: this.#newId(), lifetime: 'chat', scope, since, uses: 0 };
    this.#entries.set(keyOfScope(scope), { grant, monotonic: this.#clock.monotonic() });
  }

  /** Counts a call that used the grant. */
  use({ scope }: Grant): void {
    const entry = this.#entries.get(keyOfScope(scope));
    if (entry !== undefined) entry.grant = { ...entry.grant, uses: entry.grant.uses + 1 };
  }

  revoke(id: string): void {
    for (const [key, { grant }] of this.#entries) if (grant.id === id) this.#entries.delete(key);
  }

  list(): readonly Grant[] {
    this.#dropOld();
    return [...this.#entries.values()].map(({ grant }) => grant);
  }

  clear(): void {
    this.#entries.clear();
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

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const storedGrant = z.object({
  id: z.string(),
  command: z.string(),
  folder: location,
  shell: z.string(),
  since: z.number(),
  uses: z.number(),
  /** The extension's major version: a different one requires new approval. */
  major: z.string(),
});

/** A grant that is stored. */
type StoredGrant = z.infer<typeof storedGrant>;

const record = z.object({ version: z.literal(1), grants: z.array(z.unknown()) });

/**
 * Reads the grants stored for a workspace. A record of another version, or a damaged grant, is
 * ignored.
 */
export function readGrantRecord(stored: unknown): readonly StoredGrant[] {
  const { data } = record.safeParse(stored);
  return (data?.grants ?? []).flatMap((grant) => storedGrant.safeParse(grant).data ?? []);
}

/** The record to store for a workspace. */
function writeGrantRecord(grants: readonly StoredGrant[]): unknown {
  return { version: 1, grants };
}

/** The scope of a stored grant. */
function scopeOfStored({ command, folder, shell }: StoredGrant): CommandScope {
  return { type: 'command', command, folder, shell };
}
