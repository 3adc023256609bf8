import type { HostMessage } from '../../../src/protocol/messages.ts';
import type { StateMessage } from '../../../src/protocol/call.ts';
import type { RequestPageState } from '../../../src/protocol/requestMessages.ts';
import type { UsageOverview } from '../../../src/protocol/usageMessages.ts';

/** Actions of a person in a page, on any implementation. */
export interface PagePerson {
  /** Presses the last button with this English name. */
  press(name: string): Promise<void>;
  /** Selects an item of the menu that the last button with this name opens. */
  choose(name: string, entry: string): Promise<void>;
  /** Types into the field with this selector. */
  type(field: string, text: string): Promise<void>;
  /** Unfolds everything, nested folds included. */
  unfold(within?: string): Promise<void>;
}

/** A named state of a page. */
export interface PageState {
  readonly name: string;
  readonly kind: 'main' | 'usage' | 'request';
  /** Messages from the host. */
  readonly messages: readonly (HostMessage | StateMessage<RequestPageState | UsageOverview>)[];
  /** Actions of the person after those messages. */
  readonly act?: (person: PagePerson) => Promise<void>;
  /** Selectors of elements that exist once everything is drawn. */
  readonly drawn: readonly string[];
}
