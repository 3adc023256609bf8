import * as l10n from '@vscode/l10n';
import { Component, type ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Summary, Turn } from '../../core/conversation/conversation.ts';
import { shownSummaries } from '../../core/conversation/summaries.ts';
import type { TurnVersions } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import { oneLine } from '../../core/support/text.ts';
import { FindBar } from './findBar.tsx';
import { ChangeButton, IconButton } from '../parts/controls.tsx';
import { useFold, useStore } from '../parts/hooks.ts';
import { type Anchor, TranscriptScroll } from './transcriptScroll.ts';
import type { ScrollPositionStore } from '../state/host.ts';
import type { Store } from '../state/store.ts';
import { Prose } from './prose.tsx';
import { ReplyView } from './replyView.tsx';
import { Status } from './announcer.tsx';
import { RestoredFiles, UserMessageView } from './userMessageView.tsx';

interface Props {
  readonly positions: ScrollPositionStore;
  /** Shown while the chat is empty. */
  readonly children: ComponentChildren;
}

export function Transcript({ positions, children }: Props) {
  const store = useStore();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const scroll = useRef<TranscriptScroll>(undefined);
  const [away, setAway] = useState(false);
  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return undefined;
    const scrollBar = scroller.current.offsetWidth - scroller.current.clientWidth;
    scroller.current.style.setProperty('--scroll-bar', `${scrollBar}px`);
    const current = new TranscriptScroll(
      scroller.current,
      content.current,
      store,
      positions,
      setAway,
    );
    scroll.current = current;
    return () => current.dispose();
  }, [positions, store]);
  // A new turn scrolls to the end, where the reply appears.
  useLayoutEffect(() => {
    const subscription = store.shown.onDidTurn((type) => {
      if (type === 'begin') scroll.current?.toEnd();
    });
    return () => subscription.dispose();
  }, [store]);
  return (
    <div class="transcript">
      {store.find.open.value > 0 && <FindBar content={content} scroll={scroll} />}
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

interface TurnListProps {
  readonly store: Store;
  readonly scroll?: { readonly current: TranscriptScroll | undefined };
  /** Number of turns at the start of the conversation that are not shown. */
  readonly skip?: number;
}

/**
 * The turns of the window as one keyed list, so that a turn keeps its nodes when it ends. The
 * visible turns stay in place when others are added or removed.
 */
export class TurnList extends Component<TurnListProps> {
  override getSnapshotBeforeUpdate(): Anchor | undefined {
    return this.props.scroll?.current?.anchor();
  }

  override componentDidUpdate(_: TurnListProps, __: object, anchor: Anchor | undefined): void {
    this.props.scroll?.current?.updated(anchor);
  }

  override render() {
    const { store, skip = 0 } = this.props;
    const all = store.shown.turns.value;
    const lastId = store.lastId.value;
    const runningId = store.shown.hasEnd.value ? store.runningId.value : undefined;
    const versions = store.versions.byTurn.value;
    const firstSent = store.firstSent.value;
    const shortBefore = store.shortResultsBefore.value;
    const summaryByTurn = shownSummaries(store.summaries.value);
    const inUse = [...summaryByTurn.values()].find(({ unused }) => unused !== true)?.upTo;
    const summarized = all.findIndex(({ id }) => id === inUse) + 1;
    const turns = all.slice(Math.max(0, skip - store.shown.before.value));
    const slots = turns.flatMap((turn) => {
      const { id } = turn;
      const isCut = id === firstSent || id === shortBefore;
      const summary = summaryByTurn.get(id);
      return [
        isCut && all.indexOf(turn) >= summarized && (
          <p key={id === firstSent ? 'cut' : 'short-results'} class="context-cut" role="note">
            {id === firstSent
              ? l10n.t('Messages above are no longer sent: they exceed the context window.')
              : l10n.t('Tool results above are sent as one line each, to fit the context window.')}
          </p>
        ),
        <TurnSlot
          key={id}
          store={store}
          ended={turn}
          versions={versions[id]}
          last={store.runningId.value === undefined && id === lastId}
        />,
        summary && <SummaryMark key={`summary ${summary.id}`} summary={summary} />,
      ];
    });
    if (runningId !== undefined)
      slots.push(
        <TurnSlot
          key={runningId}
          store={store}
          ended={undefined}
          versions={versions[runningId]}
          last={true}
        />,
      );
    return <>{slots}</>;
  }
}

interface TurnSlotProps {
  readonly store: Store;
  /** Undefined for the running turn, which is read from the store so that only it re-renders. */
  readonly ended: Turn | undefined;
  /** Undefined if there is a single version. */
  readonly versions: TurnVersions | undefined;
  /** True for the newest turn, the only one that can be retried or continued. */
  readonly last: boolean;
}

/** Re-renders a turn only if it changed. */
class TurnSlot extends Component<TurnSlotProps> {
  override shouldComponentUpdate(next: Readonly<TurnSlotProps>): boolean {
    const { ended, versions, last } = this.props;
    if (next.ended === undefined || next.ended !== ended) return true;
    return next.versions !== versions || next.last !== last;
  }

  override render() {
    const { ended, store, versions, last } = this.props;
    const turn = ended ?? store.running.value;
    return turn === undefined ? null : (
      // Important changes are announced separately, and alerts always.
      <div class="turn" data-turn={turn.id} aria-live="off">
        <TurnView turn={turn} versions={versions} last={last} />
      </div>
    );
  }
}

/** Maximum number of characters of the heading of a turn. */
const longestHeading = 80;

interface TurnViewProps extends Pick<TurnSlotProps, 'versions' | 'last'> {
  readonly turn: Turn;
}

/** Apart from its slot, which doesn't re-render when a reply starts or ends. */
function TurnView({ turn, versions, last }: TurnViewProps) {
  const store = useStore();
  const answered = turn.parts.length > 0 || turn.endedAt !== undefined;
  return (
    <>
      {/* Screen readers jump from heading to heading; the headings of replies are below it. */}
      <h2 class="turn-heading">{oneLine(turn.question.text, longestHeading)}</h2>
      <UserMessageView
        turn={turn.id}
        question={turn.question}
        versions={versions?.message}
        running={store.isRunning.value}
      />
      {turn.fileRestore !== undefined && (
        <RestoredFiles turn={turn.id} restore={turn.fileRestore} />
      )}
      {answered && <ReplyView turn={turn} versions={versions?.reply} last={last} />}
    </>
  );
}

/** Shown after the turns that a summary replaces, with a button to send them again. */
function SummaryMark({ summary }: { readonly summary: Summary }) {
  const store = useStore();
  const { id, text, model, unused = false } = summary;
  const { open, onToggle } = useFold(false, false);
  const change = async (): Promise<void> => {
    if (!(await store.call('use-summary', { summary: id, used: unused }))) return;
    const done = unused
      ? l10n.t('Messages above are sent as a summary.')
      : l10n.t('Messages above are sent again.');
    store.announce(done);
  };
  return (
    <div class="context-cut summary-mark" role="group" aria-label={l10n.t('Summary')}>
      <p>
        {unused
          ? l10n.t("The summary of the messages above isn't sent.")
          : l10n.t('Messages above are sent as a summary.')}
      </p>
      <details open={open} onToggle={onToggle}>
        <summary>{l10n.t('Summary by {0}', model)}</summary>
        {open && <Prose turn="" text={text} index={0} live={false} />}
      </details>
      <ChangeButton isSecondary onClick={() => background(change())}>
        {unused ? l10n.t('Send the Summary') : l10n.t('Send the Messages Again')}
      </ChangeButton>
    </div>
  );
}
