import { effect, untracked } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { Panel, adoptInitialField } from './panel.tsx';
import { StoreContext } from './parts/hooks.ts';
import { listenForFind } from './state/findModel.ts';
import { openHost } from './state/host.ts';
import { Store } from './state/store.ts';

// Words first: components read them as soon as they draw.
const words = document.getElementById('l10n')?.textContent;
if (words !== undefined && words !== '') l10n.config({ contents: words });

const host = openHost();
const place = host.place.read();
const store = new Store(host.port, place?.atEnd === false ? place.turn : undefined);
const root = document.getElementById('root') ?? document.body;

let isDrawn = false;
effect(() => {
  if (store.panel.value === undefined || isDrawn) return;
  isDrawn = true;
  untracked(draw);
});

/** Until there is something to show, the page has a field of its own to type into. */
function draw(): void {
  adoptInitialField(document, store);
  render(
    <StoreContext.Provider value={store}>
      <Panel place={host.place} />
    </StoreContext.Provider>,
    root,
  );
}

listenForFind(store.find);

const keepDraft = (): void => store.draft.flush();
document.addEventListener('visibilitychange', keepDraft);
window.addEventListener('pagehide', keepDraft);
window.addEventListener('blur', keepDraft);
// VS Code gives the focus to the page as a whole.
window.addEventListener('focus', () => {
  if (document.activeElement === document.body) store.focusComposer();
});
