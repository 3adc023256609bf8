import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useState } from 'preact/hooks';
import { background } from '../core/support/background.ts';
import { ComposerView } from './composer/composerView.tsx';
import { Icon, IconButton } from './parts/controls.tsx';
import { useStore } from './parts/hooks.ts';
import { shownMenu } from './parts/menu.ts';
import { MenuList } from './parts/menuList.tsx';
import type { ScrollPositionStore } from './state/host.ts';
import type { Store } from './state/store.ts';
import { Announcer } from './transcript/announcer.tsx';
import { AsideCard } from './transcript/asideCard.tsx';
import { EmptyState } from './transcript/emptyState.tsx';
import { Transcript } from './transcript/transcript.tsx';

/** Empty until the host has sent the first state. */
export function Panel({ positions }: { readonly positions: ScrollPositionStore }) {
  const store = useStore();
  const hasDiagrams = store.panel.value?.diagrams === true;
  // The menu of code blocks, which aren't components, reads this attribute.
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-diagrams', hasDiagrams);
  }, [hasDiagrams]);
  if (store.panel.value === undefined) return null;
  return (
    <div class={store.isRunning.value ? 'panel running' : 'panel'}>
      <Notice />
      <Transcript key={store.id.value} positions={positions}>
        {store.isEmpty.value && <EmptyState />}
      </Transcript>
      {store.readOnly.value !== undefined && <ElsewhereBar />}
      <SideQuestion />
      <Refusal />
      <ComposerView />
      <Announcer />
      <OpenedMenu />
    </div>
  );
}

function OpenedMenu() {
  const menu = shownMenu.value;
  return menu === undefined ? null : <MenuList menu={menu} />;
}

function SideQuestion() {
  const aside = useStore().panel.value?.aside;
  return aside === undefined ? null : (
    <AsideCard key={aside.chat} aside={aside} refusal={<Refusal />} />
  );
}

function Notice() {
  const notice = useStore().panel.value?.notice;
  if (notice === undefined || notice === '') return null;
  return (
    <div class="banner" role="note">
      <Icon name="info" />
      <span class="banner-text">{notice}</span>
    </div>
  );
}

/** Reason why a request was refused, shown near the composer. */
function Refusal() {
  const store = useStore();
  const refusal = store.refusal.value;
  if (refusal === '') return null;
  return (
    <div class="banner warning" role="alert">
      <Icon name="warning" />
      <span class="banner-text">{refusal}</span>
      <IconButton
        icon="close"
        name={l10n.t('Dismiss')}
        onClick={() => {
          // The button is removed.
          store.focus.request();
          store.refuse('');
        }}
      />
    </div>
  );
}

/**
 * Moves the text typed into the field of the initial HTML, which exists before any script runs,
 * into the composer, after a restored draft.
 */
export function adoptInitialField(page: Document, store: Store): void {
  const field = page.querySelector<HTMLTextAreaElement>('textarea.message-field');
  if (field === null) return;
  if (field.value !== '') store.draft.replace(store.draft.text.value + field.value);
  if (page.activeElement === field) store.focus.request();
}

/** Shows that the chat is open in another window, with ways to continue. */
function ElsewhereBar() {
  const store = useStore();
  const [isBusy, setBusy] = useState(false);
  const button = (name: 'continue-in-copy' | 'reload-chat', label: string) => (
    <button
      type="button"
      class="button"
      disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => {
        setBusy(true);
        background(store.request(name, {}).finally(() => setBusy(false)));
      }}
    >
      {label}
    </button>
  );
  return (
    <div class="holder-bar" role="note">
      <Icon name="lock" />
      <span class="banner-text">{store.readOnly.value}</span>
      {button('continue-in-copy', l10n.t('Continue in a Copy'))}
      {button('reload-chat', l10n.t('Reload'))}
    </div>
  );
}
