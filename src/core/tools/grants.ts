import type { Clock } from '../support/clock.ts';
import { Emitter, type Event } from '../support/emitter.ts';
import { ChatGrants } from './chatGrants.ts';
import {
  longestStored,
  readGrantRecord,
  scopeOfStored,
  writeGrantRecord,
  type StoredGrant,
} from './grantRecord.ts';
import { keyOfScope, type CommandScope, type Grant, type Offer } from './grantScope.ts';

/** Keeps a record for each workspace, where no tool and no repository can write. */
export interface GrantStore {
  read(workspace: string): unknown;
  write(workspace: string, record: unknown): PromiseLike<void>;
}

export interface GrantsOptions {
  readonly store: GrantStore;
  readonly clock: Clock;
  /** The extension's version before the first dot. */
  readonly major: string;
  readonly newId: () => string;
}

/**
 * What the person allowed: in this chat, and always in a workspace. A workspace is named by its
 * identity (see `workspaceIdentity`), empty where nothing can be stored.
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

  /** Another number means that what was allowed in the chat has ended since. */
  get chat(): number {
    return this.#chatNumber;
  }

  /** The grant that stands for what could be offered. */
  find({ lifetime, scope }: Offer, workspace: string): Grant | undefined {
    if (lifetime === 'chat') return this.#chat.find(scope);
    const key = keyOfScope(scope);
    const stored = this.#read(workspace).find((one) => keyOfScope(scopeOfStored(one)) === key);
    return stored === undefined ? undefined : grantOf(stored);
  }

  async add({ lifetime, scope }: Offer, workspace: string): Promise<void> {
    if (lifetime === 'chat') this.#chat.add(scope);
    else if (workspace !== '') await this.#store(scope, workspace);
    this.#changed.fire(undefined);
  }

  /** Counts a call that ran under the grant. */
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

  /** All that holds now, for the person to see. */
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
   * Ends what was allowed in the chat: at a new chat, another key or service, other folders, another
   * trust.
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
      // One from the future was written by another clock.
      return grant.major === major && age >= 0 && age < longestStored;
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
