import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

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
