import type { Clock } from '../support/clock.ts';
import { keyOfScope, type Grant, type GrantScope } from './grantScope.ts';

/** How long a grant of a chat holds at most, in milliseconds: 8 hours. */
const longestInChat = 8 * 60 * 60 * 1000;

interface Entry {
  grant: Grant;
  /** By the clock that nobody sets; a machine that slept may have stopped it. */
  readonly monotonic: number;
}

/** What was allowed in this chat. It is in memory alone, and ends with the chat. */
export class ChatGrants {
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

  /** Counts one more call. */
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
      const isOld = this.#clock.monotonic() - monotonic >= longestInChat || passed >= longestInChat;
      if (isOld) this.#entries.delete(key);
    }
  }
}
