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
import { Announcer, holderText } from './transcript/announcer.tsx';
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
      {store.readOnly.value !== undefined && <HolderBar />}
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

/** Shows that another window writes the chat, with a button to take it over. */
function HolderBar() {
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const name = store.panel.value?.heldBy;
  if (name === undefined) return null;
  const continueHere = async (): Promise<void> => {
    setAsking(true);
    await store.request('continue-here', {});
    setAsking(false);
  };
  return (
    <div class="holder-bar" role="note">
      <Icon name="lock" />
      <span class="banner-text">{holderText(name)}</span>
      <button
        type="button"
        class="button"
        disabled={isAsking}
        aria-busy={isAsking}
        onClick={() => background(continueHere())}
      >
        {l10n.t('Continue Here')}
      </button>
    </div>
  );
}
