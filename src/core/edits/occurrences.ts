/** So many are looked for in the fastest way, which is slow for a text that repeats itself. */
const mostByIndex = 16;

/**
 * The offsets of a text in another, also where they overlap. Each is found in the time that its way
 * there takes, however often the text repeats itself: who leaves most of them out may look at all.
 */
export function* occurrences(text: string, search: string): Generator<number, void> {
  let place = search === '' ? -1 : text.indexOf(search);
  for (let count = 0; place !== -1 && count < mostByIndex; count++) {
    yield place;
    place = text.indexOf(search, place + 1);
  }
  if (place !== -1) yield* occurrencesFrom(text, search, place);
}

function* occurrencesFrom(text: string, search: string, start: number): Generator<number, void> {
  const borders = bordersOf(search);
  let matched = 0;
  for (let offset = start; offset < text.length; offset++) {
    matched = extend(search, borders, matched, text.charCodeAt(offset));
    if (matched < search.length) continue;
    yield offset + 1 - matched;
    matched = borders[matched] ?? 0;
  }
}

/** For each beginning of a text, by its length, how much of its own end is a beginning too. */
function bordersOf(search: string): Uint32Array {
  const borders = new Uint32Array(search.length + 1);
  for (let length = 1; length < search.length; length++) {
    const code = search.charCodeAt(length);
    borders[length + 1] = extend(search, borders, borders[length] ?? 0, code);
  }
  return borders;
}

/** How much of a beginning stands before and at a character, where `matched` stood before it. */
function extend(search: string, borders: Uint32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && search.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return search.charCodeAt(length) === code ? length + 1 : 0;
}
