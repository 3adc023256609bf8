import type { ReferencePlace, ReferenceWord } from '../../protocol/rpc.ts';

type Places = readonly (ReferencePlace | null)[];
type Ask = (words: readonly ReferenceWord[]) => Promise<Places | undefined>;

/**
 * Resolves words of replies to files and symbols of the workspace, by the host. Results are cached;
 * unresolved words are looked up again, as a turn may have created the file meanwhile.
 */
export class ReferenceModel {
  readonly #ask: Ask;
  readonly #known = new Map<string, ReferencePlace>();

  /** @param ask resolves with undefined if the lookup failed */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Locations of words, in order; undefined for unresolved words. */
  async find(words: readonly ReferenceWord[]): Promise<readonly (ReferencePlace | undefined)[]> {
    const unknown = words.filter((word) => !this.#known.has(keyOf(word)));
    if (unknown.length > 0) this.#learn(unknown, (await this.#ask(unknown)) ?? []);
    return words.map((word) => this.#known.get(keyOf(word)));
  }

  #learn(words: readonly ReferenceWord[], places: Places): void {
    for (const [index, word] of words.entries()) {
      const target = places[index];
      if (target) this.#known.set(keyOf(word), target);
    }
  }
}

function keyOf({ text, isCode }: ReferenceWord): string {
  return `${isCode ? '`' : ' '}${text}`;
}
