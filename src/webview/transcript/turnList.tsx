import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import type { Turn } from '../../core/conversation/conversation.ts';
import type { TurnVersions } from '../../core/conversation/versions.ts';
import type { Anchor, TranscriptScroll } from '../scroll/transcriptScroll.ts';
import type { Store } from '../state/store.ts';
import { lazyModule } from '../parts/lazy.ts';
import { ReplyView } from './replyView.tsx';
import type { RestoredFilesProps } from './restoreFiles.tsx';
import { UserMessageView } from './userMessageView.tsx';

interface TurnListProps {
  readonly store: Store;
  readonly scroll: { readonly current: TranscriptScroll | undefined };
}

/**
 * The turns of the window as one keyed list, so that a turn keeps its nodes when it ends. The
 * visible turns stay in place when others are added or removed.
 */
export class TurnList extends Component<TurnListProps> {
  override getSnapshotBeforeUpdate(): Anchor | undefined {
    return this.props.scroll.current?.anchor();
  }

  override componentDidUpdate(_: TurnListProps, __: object, anchor: Anchor | undefined): void {
    this.props.scroll.current?.updated(anchor);
  }

  override render() {
    const { store } = this.props;
    const lastId = store.lastId.value;
    const runningId = store.window.hasEnd.value ? store.runningId.value : undefined;
    const turns = store.window.turns.value;
    const firstSent = store.firstSent.value;
    const versions = store.versions.byTurn.value;
    const slots = turns.flatMap((turn) => [
      ...(turn.id === firstSent ? [<ContextCut key="cut" />] : []),
      <TurnSlot
        key={turn.id}
        store={store}
        ended={turn}
        versions={versions[turn.id]}
        last={store.runningId.value === undefined && turn.id === lastId}
      />,
    ]);
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

/** Marks the first turn that is still sent with a message. */
function ContextCut() {
  return (
    <p class="context-cut" role="note">
      {l10n.t('Messages above are no longer sent: they exceed the context window.')}
    </p>
  );
}

interface TurnSlotProps {
  readonly store: Store;
  /** Absent for the running turn, which is read from the store so that only it re-renders. */
  readonly ended: Turn | undefined;
  /** Absent where there is only one. */
  readonly versions: TurnVersions | undefined;
  /** Whether it is the newest turn, which alone can be retried and continued. */
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
      // What is worth it is announced apart; alerts are announced wherever they are.
      <div class="turn" data-turn={turn.id} aria-live="off">
        <TurnView turn={turn} versions={versions} last={last} />
      </div>
    );
  }
}

interface TurnViewProps {
  readonly turn: Turn;
  readonly versions: TurnVersions | undefined;
  readonly last: boolean;
}

const restoreFiles = lazyModule(() => import('./restoreFiles.tsx'));

function FileRestoreView(props: RestoredFilesProps) {
  const { RestoredFiles } = restoreFiles() ?? {};
  return RestoredFiles === undefined ? null : <RestoredFiles {...props} />;
}

/** A message and its reply. */
function TurnView({ turn, versions, last }: TurnViewProps) {
  const answered = turn.parts.length > 0 || turn.endedAt !== undefined;
  return (
    <>
      <UserMessageView
        turn={turn.id}
        question={turn.question}
        versions={versions?.message}
        running={turn.endedAt === undefined}
      />
      {turn.fileRestore !== undefined && (
        <FileRestoreView turn={turn.id} restore={turn.fileRestore} />
      )}
      {answered && <ReplyView turn={turn} versions={versions?.reply} last={last} />}
    </>
  );
}
