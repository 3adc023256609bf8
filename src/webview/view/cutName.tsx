import { revealInvisible } from '../../core/support/invisible.ts';
import { betweenCharacters } from './cutMiddle.ts';

/** So much of the end always shows: files of one kind differ at the front, their lines behind. */
const tailLength = 10;

/** A name in one line. Where there is little room, its middle is what goes. */
export function CutName({ name }: { readonly name: string }) {
  const shown = revealInvisible(name).text;
  const end = betweenCharacters(shown, Math.max(0, shown.length - tailLength));
  return (
    <span class="cut-name">
      <span class="cut-head">{shown.slice(0, end)}</span>
      <span class="cut-tail">{shown.slice(end)}</span>
    </span>
  );
}
