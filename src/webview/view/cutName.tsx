import { revealInvisible } from '../../core/support/invisible.ts';
import { betweenCharacters } from './cutMiddle.ts';

/** So much of the end of a long name always shows: files differ there in what they are. */
const tailLength = 8;
const longestWhole = 16;

/** A name in one line. Where there is little room, the middle of a long one is what goes. */
export function CutName({ name }: { readonly name: string }) {
  const shown = revealInvisible(name).text;
  const end = shown.length > longestWhole ? shown.length - tailLength : shown.length;
  const cut = betweenCharacters(shown, end);
  return (
    <span class="cut-name">
      <span class="cut-head">{shown.slice(0, cut)}</span>
      <span class="cut-tail">{shown.slice(cut)}</span>
    </span>
  );
}
