import { Component } from 'preact';
import type { Turn } from '../../core/conversation/conversation.ts';
import type { Store } from '../store.ts';
import { TurnView } from './turnView.tsx';

interface Props {
  readonly store: Store;
  /** Absent for the running turn, which is read from the store so that only it redraws. */
  readonly settled: Turn | undefined;
  /** Whether it is the newest, which alone can be retried and continued. */
  readonly last: boolean;
}

/** Draws a turn again only when that turn changed: the work is that of what is new. */
export class TurnSlot extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    const { settled, last } = this.props;
    return next.settled === undefined || next.settled !== settled || next.last !== last;
  }

  override render() {
    const turn = this.props.settled ?? this.props.store.running.value;
    return turn === undefined ? null : <TurnView turn={turn} last={this.props.last} />;
  }
}
