import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/disposable.ts';
import type { WaitGuard } from './waitGuard.ts';

/** How long, in milliseconds, the rest of a finished body may take. */
const drainLimit = 1000;

/** How long, in milliseconds, something may be silent that can be done without. */
const hurriedLimit = 5000;

/** Reads a body piece by piece. Each read is guarded, see {@link WaitGuard.wait}. */
export class BodyReader implements Disposable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #guard: WaitGuard;
  #draining = false;

  constructor(body: ReadableStream<Uint8Array> | null, guard: WaitGuard) {
    this.#source = body?.getReader();
    this.#guard = guard;
  }

  /** The first bytes, enough of them to tell what the body is; empty for an empty body. */
  async readStart(): Promise<Uint8Array> {
    let start = (await this.read()) ?? new Uint8Array();
    while (start.length < 8) {
      const more = await this.read();
      if (more === undefined) break;
      start = concat(start, more);
    }
    return start;
  }

  /** The next bytes, never none; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#source === undefined) return undefined;
    for (;;) {
      const { done, value } = await this.#guard.wait(this.#source.read(), 'The connection broke');
      if (done || value.length > 0) return value;
    }
  }

  /** What follows may be missing: it is not waited for longer than a few seconds of silence. */
  hurry(): void {
    this.#guard.hurry(hurriedLimit);
  }

  /**
   * Lets the rest of a body that has said its end arrive, for a moment and unseen: a connection
   * whose body was read to the end can be used again.
   */
  drain(clock: Clock): void {
    this.#draining = true;
    const giveUp = clock.after(drainLimit, () => this.#cancel());
    const next = async (): Promise<void> => {
      while (this.#source !== undefined && !(await this.#source.read()).done);
    };
    next()
      .catch(() => undefined)
      .finally(() => giveUp.dispose());
  }

  dispose(): void {
    if (!this.#draining) this.#cancel();
  }

  #cancel(): void {
    // The rejection only says that the body was broken already.
    this.#source?.cancel().catch(() => undefined);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The rest of a body as text, at most about `limit` bytes of it. */
export async function readText(
  first: Uint8Array,
  reader: BodyReader,
  limit: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = decoder.decode(first, { stream: true });
  for (let size = first.length; size < limit;) {
    const bytes = await reader.read();
    if (bytes === undefined) break;
    size += bytes.length;
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
