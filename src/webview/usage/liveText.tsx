import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * Announces a text when it changes for a reason, and not what was there at first.
 *
 * @param props.reason what changes with what is worth telling
 */
export function LiveText(props: { readonly text: string; readonly reason: string }): JSX.Element {
  const { text, reason } = props;
  const known = useRef(reason);
  const [told, setTold] = useState('');
  useLayoutEffect(() => {
    if (known.current === reason) return;
    known.current = reason;
    setTold(text);
  }, [reason, text]);
  return (
    <div class="unseen" role="status">
      {told}
    </div>
  );
}
