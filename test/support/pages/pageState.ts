import type { HostMessage } from '../../../src/protocol/messages.ts';
import type { RequestHostMessage } from '../../../src/protocol/requestMessages.ts';
import type { UsageHostMessage } from '../../../src/protocol/usageMessages.ts';
import type { BuiltPage } from './builtPage.ts';

/** Something that a page shows, by name. */
export interface PageState {
  readonly name: string;
  readonly kind: 'main' | 'usage' | 'request';
  /** What the host says. */
  readonly messages: readonly (HostMessage | RequestHostMessage | UsageHostMessage)[];
  /** What the person does then. */
  readonly act?: (page: BuiltPage) => Promise<void>;
  /** Selectors of what is there once all is drawn. */
  readonly drawn: readonly string[];
}
