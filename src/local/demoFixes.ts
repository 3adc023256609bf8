import type { EditRequest } from './demoEditRequest.ts';
import { scanPiece } from './demoScanner.ts';

/** Languages in which trailing white space has no meaning outside strings. */
const trims =
  /^(?:typescript|javascript|java|kotlin|scala|swift|csharp|dart|c|cpp|objective-c|groovy|go|rust|php|css|scss|less|json|jsonc|python|r|julia|sql|lua)$/;
const scripts = /^(?:typescript|javascript)(?:react)?$/;

/** Words that are only doubled by mistake. */
const doubled = /\b(the|a|an|of|to|and|is|in|for|with|this)([ \t]+)\1\b/gi;

/** The piece without small mistakes of which the demo is certain. */
export function fixPiece(request: EditRequest): string {
  const strict = scripts.test(request.language) ? compareStrictly(request) : request.piece;
  const piece = withoutDoubledWords({ ...request, piece: strict });
  return withoutTrailingSpace({ ...request, piece });
}

/** The piece in a slightly better form with the same behavior. */
export function improvePiece(request: EditRequest): string {
  const piece = scripts.test(request.language) ? declareConstants(request) : request.piece;
  return withoutTrailingSpace({ ...request, piece });
}

/** The piece without trailing white space, except in strings. */
export function withoutTrailingSpace(request: EditRequest): string {
  const { piece, language } = request;
  if (!trims.test(language)) return piece;
  const { kinds } = scanPiece(request);
  let at = 0;
  const lines = piece.split('\n').map((line) => {
    const end = at + line.length;
    at = end + 1;
    const text = line.replace(/\r$/, '');
    const trimmed = text.trimEnd();
    const isFree = [kinds[at - line.length - 1 + trimmed.length], kinds[end] ?? kinds[end - 1]];
    if (isFree.some((kind) => kind === undefined || kind === 'text')) return line;
    return /[\\`^]$/.test(trimmed) ? line : trimmed + line.slice(text.length);
  });
  return lines.join('\n');
}

function withoutDoubledWords(request: EditRequest): string {
  const { piece } = request;
  const { kinds } = scanPiece(request);
  return piece.replace(doubled, (match, word: string, _: string, at: number) => {
    const isComment = kinds[at] === 'comment' && kinds[at + match.length - 1] === 'comment';
    return isComment ? word : match;
  });
}

/** `==` as `===` and `!=` as `!==`, except for comparisons with `null`: they match `undefined` too. */
function compareStrictly(request: EditRequest): string {
  const { piece } = request;
  const { code } = scanPiece(request);
  const empty = /^\s*(?:null|undefined)\b/;
  let result = '';
  let last = 0;
  for (const { index } of code.matchAll(/(?<![=!<>])[=!]=(?!=)/g)) {
    const isEmpty =
      empty.test(code.slice(index + 2, index + 40)) ||
      /\b(?:null|undefined)\s*$/.test(code.slice(Math.max(0, index - 40), index));
    // Text that cannot be read is blank here, and may be code or not.
    if (isEmpty || piece.slice(index, index + 2) !== code.slice(index, index + 2)) continue;
    result += `${piece.slice(last, index + 2)}=`;
    last = index + 2;
  }
  return result + piece.slice(last);
}

/** `var` as `const` if the variable is never written again and only used in its own block. */
function declareConstants(request: EditRequest): string {
  const scanned = scanPiece(request);
  if (!scanned.isWhole) return request.piece;
  let { piece } = request;
  const declarations = [
    ...scanned.code.matchAll(/^[ \t]*(var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,100})?=(?![=>])/gm),
  ];
  for (const match of declarations.toReversed()) {
    const at = match.index + match[0].indexOf('var');
    const name = match[2] ?? '';
    if (!isConstant(scanned.code, at, match.index + match[0].length, name)) continue;
    piece = `${piece.slice(0, at)}const${piece.slice(at + 3)}`;
  }
  return piece;
}

function isConstant(code: string, at: number, valueAt: number, name: string): boolean {
  const before = code.slice(0, at).trimEnd();
  const block = blockAround(code, at);
  if (block === undefined || !/[{};]$/.test(before)) return false;
  const { start, end } = block;
  const occurrence = new RegExp(
    String.raw`(?<![\w$])${name.replaceAll('$', String.raw`\$`)}(?![\w$])`,
    'g',
  );
  const uses = [...code.matchAll(occurrence)].map(({ index }) => index);
  const [first] = uses;
  const isLocal =
    first !== undefined && first > at && first < valueAt && uses.every((use) => use < end);
  return (
    isLocal &&
    isFunctionBody(code, start) &&
    !/\b(?:function|eval|with)\b/.test(code.slice(at, end)) &&
    !hasComma(code, valueAt) &&
    uses.slice(1).every((use) => use > valueAt && !isWritten(code, use, name.length))
  );
}

/** The braces around an offset; undefined if they are not both in the code. */
function blockAround(code: string, at: number): { start: number; end: number } | undefined {
  let start = at;
  for (let depth = 0; depth <= 0;) {
    start--;
    if (start < 0) return undefined;
    if (code[start] === '}') depth--;
    if (code[start] === '{') depth++;
  }
  let end = at;
  for (let depth = 0; depth >= 0; end++) {
    if (end >= code.length) return undefined;
    if (code[end] === '{') depth++;
    if (code[end] === '}') depth--;
  }
  return { start, end };
}

/** Whether a brace begins the body of a function, and not that of a loop or a `switch`. */
function isFunctionBody(code: string, brace: number): boolean {
  const before = code.slice(Math.max(0, brace - 400), brace).trimEnd();
  if (before.endsWith('=>')) return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /\bfunction\b[^{}]*\)$/.test(line) && !/\b(?:if|for|while|switch|catch|with)\b/.test(line);
}

/** Whether the declaration that begins with this value may have more variables. */
function hasComma(code: string, valueAt: number): boolean {
  let depth = 0;
  for (let at = valueAt; at < code.length; at++) {
    const character = code[at] ?? '';
    if (/[([{]/.test(character)) depth++;
    if (/[)\]}]/.test(character)) depth--;
    if (depth < 0 || (depth === 0 && character === ';')) return false;
    if (depth === 0 && character === ',') return true;
  }
  return true;
}

function isWritten(code: string, use: number, length: number): boolean {
  const before = code.slice(Math.max(0, use - 60), use);
  const after = code.slice(use + length, use + length + 60);
  return (
    /^\s*(?:(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=(?![=>])|\+\+|--)/.test(after) ||
    /(?:\+\+|--)\s*$/.test(before) ||
    /\b(?:var|let|const|class)\s+$/.test(before) ||
    // An element of a pattern, or the variable of a loop, may be written to.
    (/[[{,:.]\s*$/.test(before) && /^\s*[\]},=]/.test(after)) ||
    /^\s+(?:of|in)\b/.test(after)
  );
}
