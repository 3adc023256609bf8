import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TurnVersions, VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import { ChangeIconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

interface VersionButtonsProps {
  readonly turn: string;
  readonly of: keyof TurnVersions;
  readonly position: VersionPlace;
}

/**
 * Buttons for the previous and the next version. Another version is another turn with its own
 * buttons, so focus moves to the one at the position of the pressed button.
 */
export function VersionButtons({ turn, of, position }: VersionButtonsProps) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const { number, count, previous, next } = position;

  useLayoutEffect(() => {
    const pressed = store.versions.takePressed(turn, of);
    const button = pressed && buttonIn(frame.current, pressed.side);
    if (pressed === undefined || button === undefined) return;
    // The person may have opened a quick pick since, which a focused page would close.
    if (document.hasFocus()) button.focus({ preventScroll: true });
    store.versions.hold(button, pressed.top);
    store.announce(l10n.t('Version {0} of {1}', number, count));
  }, [store, turn, of, number, count]);

  const select = async (to: string | undefined, side: 'previous' | 'next'): Promise<void> => {
    const button = buttonIn(frame.current, side);
    if (to === undefined || button === undefined) return;
    store.versions.press({ turn: to, of, side, top: button.getBoundingClientRect().top });
    const isShown = await store.call('select-version', { turn: to });
    if (isShown) store.find.refresh();
    else store.versions.press(undefined);
  };

  return (
    <div class="versions" ref={frame}>
      <ChangeIconButton
        className="previous"
        icon="chevron-left"
        name={l10n.t('Previous Version')}
        disabled={previous === undefined}
        onClick={() => background(select(previous, 'previous'))}
      />
      <span>{l10n.t('{0} of {1}', number, count)}</span>
      <ChangeIconButton
        className="next"
        icon="chevron-right"
        name={l10n.t('Next Version')}
        disabled={next === undefined}
        onClick={() => background(select(next, 'next'))}
      />
    </div>
  );
}

function buttonIn(frame: HTMLElement | null, side: 'previous' | 'next'): HTMLElement | undefined {
  return frame?.querySelector<HTMLElement>(`.${side}`) ?? undefined;
}
