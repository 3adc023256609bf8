/** A place in a text, both counted from 0. */
export interface TextPlace {
  readonly line: number;
  readonly character: number;
}

/**
 * Where a name stands that a model saw in a line. Models count lines well and columns badly, and
 * after an edit the line may have moved: so the name is looked for in that line, then in the lines
 * around it, the nearest first, and at last in the whole text.
 *
 * @param line counted from 1
 */
export function findSymbol(
  lines: readonly string[],
  line: number,
  symbol: string,
): TextPlace | undefined {
  // Of `Chat.ask` the last part is what is meant.
  const name = symbol.split(/[.#]|::/).findLast((part) => part !== '') ?? symbol;
  const places = lines.flatMap((text, index) => {
    const character = columnOf(text, name);
    return character < 0 ? [] : [{ line: index, character }];
  });
  return places.reduce<TextPlace | undefined>(
    (nearest, place) =>
      nearest === undefined || distance(place, line) < distance(nearest, line) ? place : nearest,
    undefined,
  );
}

function distance(place: TextPlace, line: number): number {
  return Math.abs(place.line + 1 - line);
}

/** Where the name stands as a whole word. */
function columnOf(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!isWordAt(text, at - 1, name, 0) && !isWordAt(text, end, name, name.length - 1)) return at;
  }
  return -1;
}

/** Whether a character beside the name would be part of the same word. */
function isWordAt(text: string, index: number, name: string, edge: number): boolean {
  return isWord(text.charAt(index)) && isWord(name.charAt(edge));
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_$]/u.test(character);
}
