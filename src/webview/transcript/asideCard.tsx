import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { AsideState } from '../../protocol/messages.ts';
import { IconButton } from '../parts/controls.tsx';
import { StoreContext, useStore } from '../parts/hooks.ts';
import { Announcer } from './announcer.tsx';
import { Status } from './status.tsx';
import { TurnList } from './turnList.tsx';

interface AsideCardProps {
  readonly aside: AsideState;
  /** Shows why a request about the side chat is refused. */
  readonly refusal: ComponentChildren;
}

/** The side chat with its reply, drawn as in a chat of its own. */
export function AsideCard({ aside, refusal }: AsideCardProps) {
  const store = useStore();
  const side = useMemo(() => store.openAside(aside.chat), [store, aside.chat]);
  useEffect(() => () => side.dispose(), [side]);
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.closest('.question-editor, .deny-reason')) return;
    event.preventDefault();
    store.post('close-aside', {});
  };
  return (
    <section class="aside-card" aria-label={l10n.t('Side Chat')} onKeyDown={keyDown}>
      <header class="aside-head">
        <span class="aside-title">{l10n.t('Side Chat')}</span>
        <IconButton
          icon="debug-stop"
          name={l10n.t('Stop Side Chat')}
          disabled={!aside.isRunning}
          onClick={() => side.post('stop', {})}
        />
        <IconButton
          icon="attach"
          name={l10n.t('Add to Chat')}
          title={l10n.t('Attach the side chat to the next message')}
          disabled={aside.isRunning}
          onClick={() => store.post('close-aside', { action: 'attach' })}
        />
        <IconButton
          icon="link-external"
          name={l10n.t('Open as Chat')}
          onClick={() => store.post('close-aside', { action: 'open' })}
        />
        <IconButton
          icon="close"
          name={l10n.t('Close Side Chat')}
          title={`${l10n.t('Close (Escape)')}\n${l10n.t('You can restore the chat for 30 days.')}`}
          onClick={() => store.post('close-aside', {})}
        />
      </header>
      {side.panel.value !== undefined && (
        <StoreContext.Provider value={side}>
          <div class="aside-turns">
            <div>
              <TurnList store={side} skip={aside.copied} />
              <Status />
            </div>
          </div>
          {refusal}
          <Announcer />
        </StoreContext.Provider>
      )}
    </section>
  );
}
