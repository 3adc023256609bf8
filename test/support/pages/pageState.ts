import type { HostMessage } from '../../../src/protocol/messages.ts';
import type { StateMessage } from '../../../src/protocol/request.ts';
import type { RequestPageState } from '../../../src/protocol/requestMessages.ts';
import type { UsageOverview } from '../../../src/protocol/usageMessages.ts';

/** What a person does in a page, whatever shows it. */
export interface PagePerson {
  /** Presses the last button of this name, which is given in English. */
  press(name: string): Promise<void>;
  /** Chooses an entry of the menu that the last button of this name opens. */
  choose(name: string, entry: string): Promise<void>;
  /** Types into a field that is given by its selector. */
  type(field: string, text: string): Promise<void>;
  /** Unfolds everything, also what is in what was folded. */
  unfold(within?: string): Promise<void>;
}

/** Something that a page shows, by name. */
export interface PageState {
  readonly name: string;
  readonly kind: 'main' | 'usage' | 'request';
  /** What the host says. */
  readonly messages: readonly (HostMessage | StateMessage<RequestPageState | UsageOverview>)[];
  /** What the person does then. */
  readonly act?: (person: PagePerson) => Promise<void>;
  /** Selectors of what is there once all is drawn. */
  readonly drawn: readonly string[];
}
