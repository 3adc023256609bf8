import { DropPlace } from '../attach/dropPlace.tsx';
import { usePaste } from '../attach/usePaste.ts';
import { CompletionList } from '../complete/completionList.tsx';
import { AttachmentChips } from './attachmentChips.tsx';
import { OptionChips } from './optionChips.tsx';
import { QueuedMessages } from './queuedMessages.tsx';

interface Props {
  readonly field: HTMLTextAreaElement;
}

/** What stands over the field: what waits, what goes along, and what the field completes to. */
export function ComposerTop({ field }: Props) {
  usePaste(field);
  return (
    <>
      <CompletionList field={field} />
      <DropPlace />
      <QueuedMessages />
      <div class="chips">
        <AttachmentChips />
        <OptionChips />
      </div>
    </>
  );
}
