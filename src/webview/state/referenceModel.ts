import type {
  FoundReferences,
  ReferencePlace,
  ReferenceWord,
  ViewMessage,
} from '../../protocol/messages.ts';

type Ask = Extract<ViewMessage, { type: 'find-references' }>;
type Places = FoundReferences['places'];

/**
 * Resolves words of replies to files and symbols of the workspace, by asking the host. A result is
 * kept; a word without one is looked up again, as a turn may have created the file meanwhile.
 */
export class ReferenceModel {
  readonly #post: (message: Ask) => void;
  readonly #pending = new Map<number, (places: Places) => void>();
  readonly #known = new Map<string, ReferencePlace>();
  #last = 0;

  constructor(post: (message: Ask) => void) {
    this.#post = post;
  }

  /** Locations of words, in their order; undefined for a word that names nothing. */
  async find(words: readonly ReferenceWord[]): Promise<readonly (ReferencePlace | undefined)[]> {
    const unknown = words.filter((word) => !this.#known.has(keyOf(word)));
    if (unknown.length > 0) this.#learn(unknown, await this.#ask(unknown));
    return words.map((word) => this.#known.get(keyOf(word)));
  }

  receive({ number, places }: FoundReferences): void {
    this.#pending.get(number)?.(places);
    this.#pending.delete(number);
  }

  #ask(words: readonly ReferenceWord[]): Promise<Places> {
    const number = ++this.#last;
    return new Promise((resolve) => {
      this.#pending.set(number, resolve);
      this.#post({ type: 'find-references', number, words: [...words] });
    });
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
