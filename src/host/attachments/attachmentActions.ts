import type { FoundCompletions } from '../../protocol/hostChannel.ts';
import type { CompletionResult, ViewRequest } from '../../protocol/messages.ts';

/** What the view asks about attachments. */
export type AttachmentRequest = Extract<
  ViewRequest,
  {
    type:
      | 'attach'
      | 'attach-addresses'
      | 'attach-image'
      | 'attach-offered'
      | 'choose-completion'
      | 'remove-attachment'
      | 'show-attachment';
  }
>;

/** What the person can do from the panel with what goes along with a question. */
export interface AttachmentActions {
  /** Does it, or rejects. */
  handle(request: AttachmentRequest): Promise<void>;
  /** What a word of the composer could become. */
  complete(trigger: CompletionResult['trigger'], query: string): Promise<FoundCompletions>;
}
