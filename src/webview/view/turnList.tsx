import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import type { Anchor, TranscriptScroll } from '../scroll/transcriptScroll.ts';
import type { Store } from '../store.ts';
import { TurnSlot } from './turnSlot.tsx';

interface Props {
  readonly store: Store;
  readonly scroll: { readonly current: TranscriptScroll | undefined };
}

/** Stands above the first turn that still goes along with a question. */
function ContextCut() {
  return (
    <p class="context-cut" role="note">
      {l10n.t('The model does not read what is above: it does not fit its context window.')}
    </p>
  );
}

/**
 * The turns of the window, as one keyed list, so that a turn keeps its nodes when it ends. Whatever
 * is added or taken away, the reader goes on to see the same.
 */
export class TurnList extends Component<Props> {
  override getSnapshotBeforeUpdate(): Anchor | undefined {
    return this.props.scroll.current?.anchor();
  }

  override componentDidUpdate(_: Props, __: object, anchor: Anchor | undefined): void {
    this.props.scroll.current?.updated(anchor);
  }

  override render() {
    const { store } = this.props;
    const lastId = store.lastId.value;
    const runningId = store.window.hasEnd.value ? store.runningId.value : undefined;
    const turns = store.window.turns.value;
    const firstSent = store.firstSent.value;
    const slots = turns.flatMap((turn) => [
      ...(turn.id === firstSent ? [<ContextCut key="cut" />] : []),
      <TurnSlot
        key={turn.id}
        store={store}
        settled={turn}
        last={store.runningId.value === undefined && turn.id === lastId}
      />,
    ]);
    if (runningId !== undefined)
      slots.push(<TurnSlot key={runningId} store={store} settled={undefined} last={true} />);
    return <>{slots}</>;
  }
}
