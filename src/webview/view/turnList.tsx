import { Component } from 'preact';
import type { Anchor, TranscriptScroll } from '../scroll/transcriptScroll.ts';
import type { Store } from '../store.ts';
import { TurnSlot } from './turnSlot.tsx';

interface Props {
  readonly store: Store;
  readonly scroll: { readonly current: TranscriptScroll | undefined };
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
    const slots = store.window.turns.value.map((turn) => (
      <TurnSlot
        key={turn.id}
        store={store}
        settled={turn}
        last={store.runningId.value === undefined && turn.id === lastId}
      />
    ));
    if (runningId !== undefined)
      slots.push(<TurnSlot key={runningId} store={store} settled={undefined} last={true} />);
    return <>{slots}</>;
  }
}
