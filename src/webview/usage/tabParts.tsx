import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

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

/**
 * Announces a text when the reason changes, but not the initial text.
 *
 * @param props.reason a key that changes whenever the text is worth announcing
 */
export function LiveText(props: { readonly text: string; readonly reason: string }): JSX.Element {
  const { text, reason } = props;
  const known = useRef(reason);
  const [announced, setAnnounced] = useState('');
  useLayoutEffect(() => {
    if (known.current === reason) return;
    known.current = reason;
    setAnnounced(text);
  }, [reason, text]);
  return (
    <div class="unseen" role="status">
      {announced}
    </div>
  );
}
