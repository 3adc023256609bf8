/** Maximum number of alternatives that braces expand to. */
const maxAlternatives = 100;
/** Maximum number of characters of a glob whose braces are expanded: each alternative is a copy. */
const maxExpandedLength = 2000;

/** True if a path, with `/` as separator, matches. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a glob with `*`, `?`, `**`, `[…]` and `{…,…}`. Without a `/`, it matches names in any
 * folder. Matching takes time proportional to the lengths of path and glob, for any glob.
 */
export function compileGlob(glob: string): PathTest {
  const alternatives = expandBraces(glob).map(compileSegments);
  return (path) => {
    const names = path.split('/');
    return alternatives.some((segments) =>
      fitsInOrder(segments, names, (segment, name) =>
        fitsInOrder(segment, Array.from(name), (piece, character) => piece(character)),
      ),
    );
  };
}

/** Compiles several globs into a test for whether a path matches any of them. */
export function compileGlobs(globs: readonly string[]): PathTest {
  const tests = globs.map((glob) => compileGlob(glob));
  return (path) => tests.some((test) => test(path));
}

/** A piece of a glob; `any` matches any number of elements. */
export type Piece<Fit> = 'any' | Fit;
type Character = (character: string) => boolean;
type Segment = Piece<readonly Piece<Character>[]>;

function expandBraces(glob: string): readonly string[] {
  if (glob.length > maxExpandedLength) return [glob];
  let globs: readonly string[] = [glob];
  // The innermost braces are expanded first.
  while (globs.length <= maxAlternatives) {
    const next = globs.flatMap((text) => {
      const match = /\{([^{}]*)\}/.exec(text);
      if (match === null) return [text];
      const { 0: braces, 1: inside = '', index } = match;
      const [before, after] = [text.slice(0, index), text.slice(index + braces.length)];
      return inside.split(',').map((alternative) => before + alternative + after);
    });
    if (next.length === globs.length && next.every((text, index) => text === globs[index])) break;
    globs = next;
  }
  return globs.slice(0, maxAlternatives);
}

function compileSegments(glob: string): readonly Segment[] {
  const segments = glob.replace(/^\.?\/|\/$/g, '').split('/');
  const anywhere = glob.replace(/\/$/, '').includes('/') ? [] : ['**'];
  return [...anywhere, ...segments].map((segment) =>
    segment === '**' ? 'any' : compileName(segment),
  );
}

function compileName(segment: string): readonly Piece<Character>[] {
  // After the last `]`, a `[` begins no class: searching for its end there would be quadratic.
  const lastEnd = segment.lastIndexOf(']') + 1;
  const pieces = [
    ...(segment.slice(0, lastEnd).match(/\\.|\[[!^]?\]?[^\]]*\]|[^]/gu) ?? []),
    ...(segment.slice(lastEnd).match(/\\.|[^]/gu) ?? []),
  ];
  return pieces.map((piece) => {
    if (piece === '*') return 'any';
    if (piece === '?') return () => true;
    if (piece.startsWith('[') && piece.length > 2) {
      const [, negation, inside = ''] = /^\[([!^])?([^]*)\]$/.exec(piece) ?? [];
      const members = inside.match(/[^]-[^]|[^]/gu) ?? [];
      return (character) =>
        (negation !== undefined) !==
        members.some((member) => {
          const [first = '', dash, last] = member;
          if (dash === undefined || last === undefined) return character === member;
          return first <= character && character <= last;
        });
    }
    const literal = piece.startsWith('\\') ? piece.slice(1) : piece;
    return (character) => character === literal;
  });
}

/**
 * True if the pieces match the parts one by one, where `any` matches any number of them. Backtracks
 * only to the last `any`: earlier ones need not be retried.
 */
export function fitsInOrder<Fit, Part>(
  pieces: readonly Piece<Fit>[],
  parts: readonly Part[],
  fits: (piece: Fit, part: Part) => boolean,
): boolean {
  let piece = 0;
  let retry: { readonly piece: number; part: number } | undefined;
  for (let part = 0; part < parts.length;) {
    const wanted = pieces[piece];
    const element = parts[part];
    if (wanted === 'any') {
      piece++;
      retry = { piece, part };
    } else if (wanted !== undefined && element !== undefined && fits(wanted, element)) {
      piece++;
      part++;
    } else if (retry !== undefined) {
      piece = retry.piece;
      part = ++retry.part;
    } else return false;
  }
  return pieces.slice(piece).every((unmatched) => unmatched === 'any');
}
