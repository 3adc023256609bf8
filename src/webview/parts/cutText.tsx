import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { revealInvisible } from '../../core/support/text.ts';
import { characterBoundary, truncateMiddle } from './cutMiddle.ts';
import { countText } from './format.ts';

/** Characters at the end of a long name that are always visible, for the file extension. */
const tailLength = 8;
const maxWholeLength = 16;
/** A remark in parentheses at the end of a name, such as a number of lines, stays visible. */
const endingRemark = /\([^()]{1,20}\)$/;

/** A name on one line. A narrow panel truncates the middle of a long name. */
export function TruncatedName({ name }: { readonly name: string }) {
  const label = revealInvisible(name).text;
  const remark = endingRemark.exec(label)?.[0] ?? '';
  const tail = Math.max(tailLength, remark.length);
  const end = label.length > maxWholeLength ? label.length - tail : label.length;
  const cut = characterBoundary(label, end);
  return (
    <span class="cut-name">
      <span class="cut-head">{label.slice(0, cut)}</span>
      <span class="cut-tail">{label.slice(cut)}</span>
    </span>
  );
}

interface Props {
  readonly text: string;
  readonly name: string;
  readonly failed?: boolean;
}

/** Plain text. A long text is truncated to its first and last lines until it is expanded. */
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
              // The button is removed, so the group gets focus.
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
    ? countText(l10n.t('Show All ({0} More Lines)'), lines)
    : countText(l10n.t('Show All ({0} More Characters)'), hidden.length);
}
