import './translations.ts';
import { effect, untracked } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { adoptInitialField, listenForKeys, Panel } from './panel.tsx';
import { deliberatePresses } from './parts/deliberatePress.ts';
import { StoreContext } from './parts/hooks.ts';
import { listenForFind } from './state/findModel.ts';
import { openHost } from './state/host.ts';
import { Store } from './state/store.ts';
import { loadedMarkdown } from './transcript/prose.tsx';

const host = openHost();
const position = host.scroll.read();
const turn = position?.atEnd === false ? position.turn : undefined;
const store = new Store(host.port, turn, host.keeper);
const root = document.getElementById('root') ?? document.body;

// Loads while the page waits for the first state.
loadedMarkdown();

let isDrawn = false;
effect(() => {
  if (store.panel.value === undefined || isDrawn) return;
  if (!store.isEmpty.value && loadedMarkdown() === undefined) return;
  isDrawn = true;
  untracked(draw);
});

/**
 * Replaces the message field of the initial HTML, which takes input until the first state arrives.
 */
function draw(): void {
  adoptInitialField(document, store);
  render(
    <StoreContext.Provider value={store}>
      <Panel positions={host.scroll} />
    </StoreContext.Provider>,
    root,
  );
  // The page may have had focus before it was rendered.
  if (document.hasFocus()) takeFocus();
}

effect(() => {
  if (store.id.value !== '') host.keepChat(store.id.value);
});

function takeFocus(): void {
  store.noteFocus();
  store.focus.arrive();
}

effect(() => deliberatePresses.setWindowFocused(store.panel.value?.isInBackground !== true));
deliberatePresses.onHasty = () =>
  store.announce(l10n.t('Your last response came too quickly and was ignored. Respond again.'));
listenForFind(store.find);
listenForKeys(store);

const flushDraft = (): void => store.draft.flush();
document.addEventListener('visibilitychange', flushDraft);
window.addEventListener('pagehide', flushDraft);
window.addEventListener('blur', flushDraft);
window.addEventListener('focus', takeFocus);
// Handled before the press moves focus.
window.addEventListener('pointerdown', () => store.focus.point(), true);
