import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import { StoreContext } from './view/storeContext.ts';
import { Panel } from './view/panel.tsx';
import { openHost } from './host.ts';
import { Store } from './store.ts';

// Words first: components read them as soon as they draw.
const words = document.getElementById('l10n')?.textContent;
if (words !== undefined && words !== '') l10n.config({ contents: words });

const host = openHost();
const store = new Store(host.port);
const root = document.getElementById('root') ?? document.body;
render(
  <StoreContext.Provider value={store}>
    <Panel place={host.place} />
  </StoreContext.Provider>,
  root,
);

const keepDraft = (): void => store.draft.flush();
document.addEventListener('visibilitychange', keepDraft);
window.addEventListener('pagehide', keepDraft);
window.addEventListener('blur', keepDraft);
// VS Code gives the focus to the page as a whole.
window.addEventListener('focus', () => {
  if (document.activeElement === document.body) store.focusComposer();
});
