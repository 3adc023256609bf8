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
  /** What was said before is brought as the reader scrolls, and not to be announced. */
  readonly #announced = this.props.settled === undefined ? undefined : 'off';

  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    const { settled, last } = this.props;
    return next.settled === undefined || next.settled !== settled || next.last !== last;
  }

  override render() {
    const { settled, store, last } = this.props;
    const turn = settled ?? store.running.value;
    return turn === undefined ? null : (
      <div class="turn" data-turn={turn.id} aria-live={this.#announced}>
        <TurnView turn={turn} last={last} />
      </div>
    );
  }
}
