import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Fractions of pixels get lost at some zoom levels. */
const slack = 4;

/** What a call prints while it runs. Its end stays in sight, unless the person scrolled up. */
export function ToolOutput({ text }: { readonly text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={box}
      class="tool-text tool-output"
      role="group"
      aria-label={l10n.t('Output')}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - clientHeight - scrollTop <= slack;
      }}
    >
      {text}
    </pre>
  );
}
