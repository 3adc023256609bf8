import * as l10n from '@vscode/l10n';
import { Icon, IconButton } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

/** What goes along with the next question. */
export function AttachmentChips() {
  const store = useStore();
  const attachments = store.panel.value?.attachments ?? [];
  return (
    <>
      {attachments.map(({ id, name, path }) => (
        <span key={id} class="chip" title={path}>
          <Icon name="file-code" />
          <span class="chip-name">{name}</span>
          <IconButton
            icon="close"
            name={l10n.t('Remove {0}', name)}
            onClick={() => void store.request({ type: 'remove-attachment', attachment: id })}
          />
        </span>
      ))}
    </>
  );
}
