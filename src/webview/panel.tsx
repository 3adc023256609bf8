import * as l10n from '@vscode/l10n';
import { ComposerView } from './composer/composerView.tsx';
import { Icon, IconButton } from './parts/controls.tsx';
import { useStore } from './parts/hooks.ts';
import type { ScrollPositionStore } from './state/host.ts';
import type { Store } from './state/store.ts';
import { EmptyState } from './transcript/emptyState.tsx';
import { Transcript } from './transcript/transcript.tsx';

/** The whole panel; empty until the host has said what there is to show. */
export function Panel({ place }: { readonly place: ScrollPositionStore }) {
  const store = useStore();
  if (store.panel.value === undefined) return null;
  const { turns, hasStart, hasEnd } = store.window;
  const nothing = turns.value.length === 0 && hasStart.value && hasEnd.value;
  const empty = nothing && store.runningId.value === undefined;
  return (
    <div class={store.runningId.value === undefined ? 'panel' : 'panel running'}>
      <Notices />
      <Transcript key={store.id.value} place={place}>
        {empty && <EmptyState />}
      </Transcript>
      <ComposerView />
    </div>
  );
}

/** What the person must know besides the chat: the host's notice, and a refused request. */
function Notices() {
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

/**
 * Takes what was written into the field of the page, which is there before any script, along into
 * the composer that replaces it: behind a draft that was kept.
 */
export function adoptInitialField(page: Document, store: Store): void {
  const field = page.querySelector<HTMLTextAreaElement>('textarea.message-field');
  if (field === null) return;
  if (field.value !== '') store.draft.replace(store.draft.text.value + field.value);
  if (page.activeElement === field) store.focusComposer();
}
