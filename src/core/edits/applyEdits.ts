import { ToolError } from '../tools/tool.ts';
import type { Edit } from './edit.ts';
import { findPlace, mostPlaces } from './findPlace.ts';
import { UnifiedText, withLineEnds, withoutMark } from './lineEnds.ts';
import { nearestLines, numbered } from './nearestLines.ts';
import { commonEnds } from './splices.ts';

/** Places of an ambiguous search that are named. */
const mostNamed = 10;

/**
 * The text after edits, each made in what the ones before left. Line ends, a byte order mark and
 * the end of the file stay as they are where no edit says otherwise.
 * @throws {ToolError} where an edit fits nowhere or in several places; its words are for the model.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) throw new ToolError('There is no edit.');
  const body = withoutMark(text);
  const edited = edits.reduce(
    (current, edit, index) => applyEdit(current, edit, index, edits.length),
    body,
  );
  if (edited === body) throw new ToolError('The edits change nothing.');
  return text.slice(0, text.length - body.length) + edited;
}

function applyEdit(current: string, edit: Edit, index: number, count: number): string {
  const whole = new UnifiedText(current);
  const { text } = whole;
  const { search, replace } = {
    search: withLineEnds(withoutMark(edit.search), '\n'),
    replace: withLineEnds(withoutMark(edit.replace), '\n'),
  };
  const where = count === 1 ? '' : `Edit ${index + 1} of ${count}: `;
  const fail = (problem: string): never => {
    const note = count === 1 ? '' : '\nNo edit was made.';
    throw new ToolError(where + problem + note);
  };
  if (search === '') return fail('search is empty. Search for a line beside the new text.');
  if (search === replace) return fail('search and replace are the same.');
  const found = findPlace(text, { search, replace });
  if ('offsets' in found) {
    const { offsets } = found;
    return fail(offsets.length === 0 ? notFound(text, search, index) : severalFound(text, offsets));
  }
  const { start, end, text: replacement } = found.replacement;
  // What stays the same keeps its own line ends.
  const { head, tail } = commonEnds(text.slice(start, end), replacement);
  const inserted = replacement.slice(head, replacement.length - tail);
  return whole.replace(start + head, end - tail, inserted);
}

function notFound(text: string, search: string, index: number): string {
  const nearest = nearestLines(text, search);
  if (nearest === '') return 'search is not in the file, nor anything like it. Read the file.';
  const when = index === 0 ? '' : ', after the edits before this';
  return `search is not in the file. The nearest lines${when}:\n${nearest}`;
}

function severalFound(text: string, offsets: readonly number[]): string {
  const lines = text.split('\n');
  const numbers = lineNumbers(text, offsets.slice(0, mostNamed));
  const shown = numbers.map((number) => numbered(lines, number - 1, number)).join('\n');
  const count = offsets.length < mostPlaces ? String(offsets.length) : `${mostPlaces} or more`;
  return `search fits in ${count} places. Add lines around it until only one fits:\n${shown}`;
}

/** The lines, from 1, of offsets that grow. */
function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let counted = 0;
  return offsets.map((offset) => {
    for (; counted < offset; counted++) if (text[counted] === '\n') line++;
    return line;
  });
}
