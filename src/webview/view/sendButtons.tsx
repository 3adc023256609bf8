import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './iconButton.tsx';
import { canSend, send } from './send.ts';
import { useStore } from './storeContext.ts';

/** Send, and beside it Stop while a turn runs. */
export function SendButtons() {
  const store = useStore();
  const running = store.runningId.value !== undefined;
  return (
    <>
      {running && <StopButton />}
      <IconButton
        className="send"
        icon="send"
        name={l10n.t('Send')}
        title={running ? l10n.t('Send After This Reply (Enter)') : l10n.t('Send (Enter)')}
        disabled={!canSend(store)}
        onClick={() => send(store)}
      />
    </>
  );
}

function StopButton() {
  const store = useStore();
  const frame = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = frame;
    // A turn that ends under it leaves the focus with its neighbour.
    return () => {
      const focused = current?.contains(document.activeElement) === true;
      if (focused) current.parentElement?.querySelector<HTMLElement>('.send')?.focus();
    };
  }, []);
  return (
    <span ref={frame}>
      <IconButton
        className="stop"
        icon="debug-stop"
        name={l10n.t('Stop')}
        onClick={() => void store.request({ type: 'stop' })}
      />
    </span>
  );
}
