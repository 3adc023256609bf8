import type { JSX } from 'preact';

interface ShareProps {
  readonly of: number;
  readonly whole: number;
  /** The remainder of a budget, or the length of a row relative to the longest one. */
  readonly kind: 'budget' | 'row';
}

/** Share below which the rest of a budget is highlighted. */
const lowShare = 0.1;

/** A thin bar that illustrates the text beside it. */
export function Share({ of, whole, kind }: ShareProps): JSX.Element {
  const share = whole <= 0 ? 0 : Math.min(1, Math.max(0, of / whole));
  const isLow = kind === 'budget' && share < lowShare;
  return (
    <svg class={`usage-share ${isLow ? 'low' : kind}`} aria-hidden="true">
      <rect class="usage-track" width="100%" height="100%" />
      <rect class="usage-level" width={`${(share * 100).toFixed(2)}%`} height="100%" />
    </svg>
  );
}
