import type { Disposable } from '../../core/support/event.ts';
import type { CommandsOf } from '../commands.ts';
import { OpenReviews } from './openReviews.ts';

/** The reviews of a window. Needs nothing: whoever proposes a change opens its review. */
export interface ReviewFeature extends Disposable {
  readonly commands: CommandsOf<'review'>;
  readonly reviews: OpenReviews;
}

export function createReview(): ReviewFeature {
  const reviews = new OpenReviews();
  return {
    commands: {
      acceptEdit: (hunk) => reviews.decide('accept', hunk),
      rejectEdit: (hunk) => reviews.decide('reject', hunk),
      allowEdit: () => reviews.decideCall('once'),
      denyEdit: () => reviews.decideCall('deny'),
    },
    reviews,
    dispose: () => reviews.dispose(),
  };
}
