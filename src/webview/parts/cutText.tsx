import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { revealInvisible } from '../../core/support/text.ts';
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

interface LongTextProps {
  readonly text: string;
  readonly name: string;
  readonly failed?: boolean;
}

/** Plain text. A long text is truncated to its first and last lines until it is expanded. */
export function LongText({ text, name, failed = false }: LongTextProps) {
  const [whole, setWhole] = useState(false);
  const { head, hidden, tail } = whole
    ? { head: text, hidden: '', tail: '' }
    : truncateMiddle(text);
  const lines = hidden.split('\n').length - 1;
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
            {lines > 1
              ? countText(l10n.t('Show All ({0} More Lines)'), lines)
              : countText(l10n.t('Show All ({0} More Characters)'), hidden.length)}
          </button>
          <pre>{tail}</pre>
        </>
      )}
    </div>
  );
}

/** A text in three pieces, which are the original when joined. */
interface TruncatedText {
  readonly head: string;
  /** The hidden part; empty if the text is short. */
  readonly hidden: string;
  readonly tail: string;
}

/** Limits of the visible parts, in lines and characters. */
const front = { lines: 30, length: 6000 };
const back = { lines: 10, length: 2000 };

/** Hiding fewer characters isn't worth a button. */
const minHidden = 200;

/** Cuts the middle out of a long text, at line ends if they are near. */
export function truncateMiddle(text: string): TruncatedText {
  let first = 0;
  for (let line = 0; line < front.lines && first >= 0; line++)
    first = text.indexOf('\n', first) + 1 || -1;
  // A final line break doesn't start a line.
  let last = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < back.lines && last >= 0; line++)
    last = last === 0 ? -1 : text.lastIndexOf('\n', last - 1);
  const start = characterBoundary(text, Math.min(first < 0 ? text.length : first, front.length));
  const end = characterBoundary(text, Math.max(last + 1, text.length - back.length));
  if (end - start < minHidden) return { head: text, hidden: '', tail: '' };
  return { head: text.slice(0, start), hidden: text.slice(start, end), tail: text.slice(end) };
}

/** The index, moved back if it would split a surrogate pair. */
function characterBoundary(text: string, index: number): number {
  const isSecondHalf = /[\udc00-\udfff]/.test(text.charAt(index));
  return isSecondHalf && /[\ud800-\udbff]/.test(text.charAt(index - 1)) ? index - 1 : index;
}
