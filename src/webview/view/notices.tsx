import * as l10n from '@vscode/l10n';
import { Icon, IconButton } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

/** What the person must know besides the chat: the host's notice, and a refused request. */
export function Notices() {
  const store = useStore();
  const notice = store.panel.value?.notice;
  const refusal = store.refusal.value;
  return (
    <>
      {notice !== undefined && notice !== '' && (
        <div class="banner" role="note">
          <Icon name="info" />
          <span class="banner-text">{notice}</span>
        </div>
      )}
      {refusal !== '' && (
        <div class="banner warning" role="alert">
          <Icon name="warning" />
          <span class="banner-text">{refusal}</span>
          <IconButton
            icon="close"
            name={l10n.t('Dismiss')}
            onClick={() => store.dismissRefusal()}
          />
        </div>
      )}
    </>
  );
}
