import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlaceStore } from '../host.ts';
import { IconButton } from './iconButton.tsx';
import { Status } from './status.tsx';
import { StickyScroll } from './stickyScroll.ts';
import { useStore } from './storeContext.ts';
import { TurnSlot } from './turnSlot.tsx';

interface Props {
  readonly place: PlaceStore;
  /** Shown while nothing was said yet. */
  readonly children: ComponentChildren;
}

export function Transcript({ place, children }: Props) {
  const store = useStore();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticky = useRef<StickyScroll>(undefined);
  const [away, setAway] = useState(false);
  const runningId = store.runningId.value;

  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return undefined;
    const scrollBar = scroller.current.offsetWidth - scroller.current.clientWidth;
    scroller.current.style.setProperty('--scroll-bar', `${scrollBar}px`);
    const conversation = store.id.value;
    const scroll = new StickyScroll(scroller.current, content.current, (now) => {
      setAway(!now.atEnd);
      place.write({ conversation, ...now });
    });
    const before = place.read();
    scroll.restore(before?.conversation === conversation ? before : undefined);
    sticky.current = scroll;
    return () => scroll.dispose();
  }, [place, store]);

  // Whoever asks wants to see the answer.
  useLayoutEffect(() => {
    if (runningId !== undefined && store.running.value?.status === 'waiting')
      sticky.current?.toEnd();
  }, [runningId, store]);

  return (
    <div class="transcript">
      <div class="scroller" ref={scroller} tabIndex={-1}>
        <div
          class="content"
          ref={content}
          role="log"
          aria-label={l10n.t('Conversation')}
          aria-relevant="additions"
        >
          {children}
          <TurnList />
          <Status />
        </div>
      </div>
      {away && (
        <IconButton
          className="to-end"
          icon="arrow-down"
          name={l10n.t('Jump to Latest')}
          onClick={() => {
            sticky.current?.toEnd();
            // The button goes away; from here the arrow keys scroll.
            scroller.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** One keyed list, so that a turn keeps its nodes when it ends. */
function TurnList() {
  const store = useStore();
  const turns = store.turns.value;
  const runningId = store.runningId.value;
  const slots = turns.map((turn, index) => (
    <TurnSlot
      key={turn.id}
      store={store}
      settled={turn}
      last={runningId === undefined && index === turns.length - 1}
    />
  ));
  if (runningId !== undefined)
    slots.push(<TurnSlot key={runningId} store={store} settled={undefined} last={true} />);
  return <>{slots}</>;
}
