import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FindBar } from '../find/findBar.tsx';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { TranscriptScroll, type ScrollPosition } from '../scroll/transcriptScroll.ts';
import type { ScrollPositionStore } from '../state/host.ts';
import type { Store } from '../state/store.ts';
import { Status } from './status.tsx';
import { TurnList } from './turnList.tsx';

interface Props {
  readonly positions: ScrollPositionStore;
  /** Shown while the chat is empty. */
  readonly children: ComponentChildren;
}

export function Transcript({ positions, children }: Props) {
  const store = useStore();
  const { scroller, content, scroll, away } = useTranscriptScroll(positions, store);
  return (
    <div class="transcript">
      {store.find.open.value > 0 && (
        <FindBar find={store.find} window={store.window} content={content} scroll={scroll} />
      )}
      <div class="scroller" ref={scroller} tabIndex={-1}>
        <div
          class="content"
          ref={content}
          role="log"
          aria-label={l10n.t('Conversation')}
          aria-relevant="additions"
        >
          {children}
          <TurnList store={store} scroll={scroll} />
          <Status />
        </div>
      </div>
      {away && (
        <IconButton
          className="to-end"
          icon="arrow-down"
          name={l10n.t('Jump to Latest')}
          onClick={() => {
            scroll.current?.toEnd();
            // The button is removed; in the focused scroller, arrow keys scroll.
            scroller.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Follows the end of the transcript, and restores the scroll position of a chat after reloads. */
function useTranscriptScroll(positions: ScrollPositionStore, store: Store) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const scroll = useRef<TranscriptScroll>(undefined);
  const [away, setAway] = useState(false);

  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return undefined;
    const scrollBar = scroller.current.offsetWidth - scroller.current.clientWidth;
    scroller.current.style.setProperty('--scroll-bar', `${scrollBar}px`);
    const conversation = store.id.value;
    const before = positions.read();
    scroll.current = new TranscriptScroll({
      scroller: scroller.current,
      content: content.current,
      window: store.window,
      start: before?.conversation === conversation ? before : undefined,
      takeHeld: () => store.versions.takeHeld(),
      moved: (now) => {
        setAway(!now.atEnd);
        savePosition(positions, conversation, now);
      },
    });
    return () => scroll.current?.dispose();
  }, [positions, store]);

  // A new turn scrolls to the end, where the reply appears.
  useLayoutEffect(() => {
    const subscription = store.window.onDidTurn((type) => {
      if (type === 'begin') scroll.current?.toEnd();
    });
    return () => subscription.dispose();
  }, [store]);

  return { scroller, content, scroll, away };
}

/** VS Code persists every change, so following the end is saved only once. */
function savePosition(
  positions: ScrollPositionStore,
  conversation: string,
  now: ScrollPosition,
): void {
  const before = positions.read();
  const same = before?.conversation === conversation && before.atEnd && now.atEnd;
  if (!same) positions.write({ conversation, ...now });
}
