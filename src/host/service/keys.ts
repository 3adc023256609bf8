import { report } from '../../core/support/background.ts';
import { Emitter, type Event, type Disposable } from '../../core/support/event.ts';
import type { Redactor } from '../../core/support/redact.ts';

/** The part of `vscode.SecretStorage` that Aside uses. */
export interface SecretStore {
  keys(): PromiseLike<readonly string[]>;
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  readonly onDidChange: Event<{ readonly key: string }>;
}

const prefix = 'aside.key:';

/**
 * The API keys by the id of their service, stored only in the secret storage. If that fails, a key stays in memory
 * until the window closes. It is never written in plain text.
 */
export class Keys implements Disposable {
  readonly #secrets: SecretStore;
  readonly #redactor: Redactor;
  readonly #changed = new Emitter<string>();
  readonly #listening: Disposable;
  readonly #session = new Map<string, string>();
  readonly #seen = new Set<string>();
  #changes = 0;
  #learned: Promise<void>;

  /** Fires with the id of the service whose key changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  constructor(secrets: SecretStore, redactor: Redactor) {
    this.#secrets = secrets;
    this.#redactor = redactor;
    this.#listening = secrets.onDidChange(({ key: name }) => {
      if (!name.startsWith(prefix)) return;
      this.#learned = this.#learned.then(() => this.#learn([name]));
      this.#change(name.slice(prefix.length));
    });
    this.#learned = this.#learnAll();
  }

  /**
   * Resolves when the redactor knows every stored key, including those of other services: nothing is
   * logged or sent before (threats: T10). Also resolves if the storage fails.
   */
  learned(): Promise<void> {
    return this.#learned;
  }

  /**
   * Number of key changes, here or in another window. If it hasn't changed, a key needn't be read
   * again, which takes longer than the rest of a request.
   */
  get changes(): number {
    return this.#changes;
  }

  /** The key of a service; undefined if there is none. Rejects if the storage fails. */
  async read(service: string): Promise<string | undefined> {
    const session = this.#session.get(service);
    if (session !== undefined) return session;
    const key = await this.#secrets.get(prefix + service);
    if (key !== undefined) this.guard(key);
    return key;
  }

  /** Stores a key, or keeps it for this session if the storage fails. Resolves with the outcome. */
  async store(service: string, key: string): Promise<'stored' | 'session-only'> {
    this.guard(key);
    try {
      await this.#secrets.store(prefix + service, key);
      this.#session.delete(service);
      return 'stored';
    } catch (error) {
      report(error);
      this.#session.set(service, key);
      this.#change(service);
      return 'session-only';
    }
  }

  async remove(service: string): Promise<void> {
    // Makes readers read the key again before the storage fires its event.
    this.#changes += 1;
    if (this.#session.delete(service)) this.#change(service);
    await this.#secrets.delete(prefix + service);
  }

  /** Redacts a key in logs and errors, even before it is stored and after it was removed. */
  guard(key: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#redactor.setKeys(this.#seen);
  }

  #change(service: string): void {
    this.#changes += 1;
    this.#changed.fire(service);
  }

  async #learnAll(): Promise<void> {
    try {
      const names = await this.#secrets.keys();
      await this.#learn(names.filter((name) => name.startsWith(prefix)));
    } catch (error) {
      // No key can be read now. Each is learned when it is read.
      report(error);
    }
  }

  async #learn(names: readonly string[]): Promise<void> {
    await Promise.allSettled(
      names.map(async (name) => {
        const key = await this.#secrets.get(name);
        if (key !== undefined) this.guard(key);
      }),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
    this.#session.clear();
  }
}
