import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { revealInvisible } from '../../core/support/text.ts';
import { characterBoundary, truncateMiddle } from './cutMiddle.ts';

/** So much of the end of a long name always shows: files differ there in what they are. */
const tailLength = 8;
const maxWholeLength = 16;

/** A name in one line. Where there is little room, the middle of a long one is what goes. */
export function TruncatedName({ name }: { readonly name: string }) {
  const shown = revealInvisible(name).text;
  const end = shown.length > maxWholeLength ? shown.length - tailLength : shown.length;
  const cut = characterBoundary(shown, end);
  return (
    <span class="cut-name">
      <span class="cut-head">{shown.slice(0, cut)}</span>
      <span class="cut-tail">{shown.slice(cut)}</span>
    </span>
  );
}

interface Props {
  readonly text: string;
  /** What assistive technology calls it. */
  readonly name: string;
  readonly failed?: boolean;
}

/** Plain text as it is. Of a long one the first and last lines, until the person wants all. */
export function LongText({ text, name, failed = false }: Props) {
  const [whole, setWhole] = useState(false);
  const { head, hidden, tail } = whole
    ? { head: text, hidden: '', tail: '' }
    : truncateMiddle(text);
  return (
    <div
      class={failed ? 'tool-text failed' : 'tool-text'}
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <pre>{head}</pre>
      {hidden !== '' && (
        <>
          <button
            type="button"
            class="link"
            onClick={({ currentTarget }) => {
              // The button goes away.
              currentTarget.parentElement?.focus();
              setWhole(true);
            }}
          >
            {moreText(hidden)}
          </button>
          <pre>{tail}</pre>
        </>
      )}
    </div>
  );
}

function moreText(hidden: string): string {
  const lines = hidden.split('\n').length - 1;
  return lines > 1
    ? l10n.t('Show All ({0} More Lines)', lines.toLocaleString())
    : l10n.t('Show All ({0} More Characters)', hidden.length.toLocaleString());
}
