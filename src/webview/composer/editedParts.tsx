/** Controls around the text of an edited message. Loaded when the first message is edited. */
import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { EditedText } from '../state/writtenMessage.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { CompletionList } from './completionList.tsx';
import { CostNote } from './composerHeader.tsx';
import { usePaste } from './dropAndPaste.tsx';

interface Props {
  readonly field: HTMLTextAreaElement;
  readonly message: EditedText;
}

export function EditedHeader({ field, message }: Props) {
  const store = useStore();
  usePaste(field, message);
  const attachments = store.panel.value?.edits?.[message.edited]?.attachments ?? [];
  if (attachments.length === 0) return null;
  return (
    <div class="chips">
      <AttachmentChips attachments={attachments} message={message} field={field} />
    </div>
  );
}

/** Completions, the attach button, and the cost of sending the new version. */
export function EditedFooter({ field, message }: Props) {
  const store = useStore();
  const { edited: turn, text } = message;
  const cost = store.panel.value?.edits?.[turn]?.cost;
  const attach = async (): Promise<void> => {
    await store.request('attach', { edited: turn });
    focusInPage(field);
  };
  return (
    <>
      <CompletionList field={field} message={message} />
      <div class="edited-foot">
        <IconButton
          icon="add"
          name={l10n.t('Attach to Edited Message…')}
          onClick={() => background(attach())}
        />
        {cost !== undefined && <CostNote cost={cost} length={text.value.length} />}
      </div>
    </>
  );
}

function focusInPage(field: HTMLTextAreaElement): void {
  if (document.hasFocus()) field.focus();
  else window.addEventListener('focus', () => field.focus(), { once: true });
}
