import type { CompletionItem } from '../../protocol/messages.ts';

/** Something that can be chosen, and what is done then. */
export interface Offer {
  readonly item: CompletionItem;
  readonly choose: () => Promise<void>;
}

/** Lists that the view may still choose from. */
const keptLists = 4;

/**
 * What the view was offered last. It chooses by an id: what nobody offered cannot be chosen, whatever
 * the view says (threats: T04).
 */
export class Offers {
  readonly #lists: (readonly Offer[])[] = [];

  /** Remembers them, and tells what the view gets. */
  offer(offers: readonly Offer[]): readonly CompletionItem[] {
    this.#lists.unshift(offers);
    this.#lists.splice(keptLists);
    return offers.map(({ item }) => item);
  }

  /** Undefined where it was not offered. */
  find(id: string): Offer | undefined {
    return this.#lists.flat().find(({ item }) => item.id === id);
  }
}
