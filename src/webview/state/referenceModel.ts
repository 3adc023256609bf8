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
    const places = unknown.length > 0 ? await this.#ask(unknown) : undefined;
    for (const [index, target] of (places ?? []).entries()) {
      const word = unknown[index];
      if (word && target) this.#known.set(keyOf(word), target);
    }
    return words.map((word) => this.#known.get(keyOf(word)));
  }
}

function keyOf({ text, isCode }: ReferenceWord): string {
  return `${isCode ? '`' : ' '}${text}`;
}
