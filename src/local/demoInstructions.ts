import { documentPiece } from './demoDocument.ts';
import type { EditRequest } from './demoEditRequest.ts';
import { fixPiece, improvePiece, withoutTrailingSpace } from './demoFixes.ts';
import { lexiconOf, scanPiece } from './demoScanner.ts';

/** The new text of a piece; undefined if the demo can't be certain of it. */
type Carry = (request: EditRequest, match: RegExpExecArray) => string | undefined;

const name = '[`\'"“]?([A-Za-z_$][\\w$]*)[`\'"”]?';

/** The instructions that the demo follows; the first that matches is carried out. */
const instructions: readonly (readonly [RegExp, Carry])[] = [
  [/^Fix what is wrong with this code/, fixPiece],
  [/^Make this code simpler, clearer and safer/, improvePiece],
  [/^Add documentation comments to this code/, documentPiece],
  [new RegExp(String.raw`\b[Rr]ename\s+${name}\s+(?:to|into|as)\s+${name}`), rename],
  [/\bsort\b.*\bimports?\b/i, sortImports],
  [/\bsort\b/i, sortLines],
  [/\b(?:remove|delete|strip|drop)\b.*\bcomments?\b/i, removeComments],
  [/\b(?:remove|delete|trim|strip)\b.*\b(?:trailing|white ?space)/i, withoutTrailingSpace],
  [/\b(?:remove|delete|drop)\b.*\b(?:blank|empty) lines?\b/i, removeBlankLines],
  [/\b(?:document|docs?|documentation|docstrings?|jsdoc)\b/i, documentPiece],
  [
    /\b(?:add|write|insert)\b.*?\bcomments?\b(?:[^]*?\b(?:saying|that says|with)\b:?\s*([^]*))?/i,
    addComment,
  ],
  [/^\s*fix\b/i, fixPiece],
  [/^\s*(?:improve|clean up|simplify)\b/i, improvePiece],
];

/** The piece after an instruction; undefined if the demo can't follow it safely. */
export function followInstruction(request: EditRequest): string | undefined {
  for (const [pattern, carry] of instructions) {
    const match = pattern.exec(request.task);
    if (match !== null) return carry(request, match);
  }
  return undefined;
}

const reserved = new Set(
  `abstract and any as assert async await boolean break byte case catch char class const continue def default
  delete do double elif else end enum eval except export extends false final finally float fn for from func function
  go goto global if impl implements import in int interface is lambda let long match mod module mut namespace new nil
  none nonlocal not null object of or package pass print private protected pub public raise return self short static
  string struct super switch this throw throws trait true try type typeof undefined union unsafe use using val var
  void volatile when where while with yield None True False arguments`.split(/\s+/),
);

function rename(request: EditRequest, [, from = '', to = '']: RegExpExecArray): string | undefined {
  const { piece } = request;
  const { code, isWhole } = scanPiece(request);
  const wordPattern = (word: string): RegExp =>
    new RegExp(String.raw`(?<![\w$])${word.replaceAll('$', String.raw`\$`)}(?![\w$])`, 'g');
  if (!isWhole || reserved.has(to) || reserved.has(from)) return undefined;
  if (wordPattern(to).test(code) || !wordPattern(from).test(code)) return undefined;
  let result = '';
  let last = 0;
  for (const { index } of code.matchAll(wordPattern(from))) {
    result += piece.slice(last, index) + to;
    last = index + from.length;
  }
  return result + piece.slice(last);
}

const importLine =
  /^(?:import\s[^\n{}()]*(?:\{[^\n{}]*\}[^\n{}()]*)?|from\s+[\w.]+\s+import\s+[\w.,*][\w., *]*|using\s[\w.= ]+;|use\s[\w:]+;|#include\s*[<"][^<>"\n]*[>"])\r?$/;

/** Sorts each group of imports that are whole lines. */
function sortImports(request: EditRequest): string | undefined {
  const { kinds } = scanPiece(request);
  const lines = request.piece.split('\n');
  let at = 0;
  const isImport = lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return kinds[start] === 'code' && importLine.test(line);
  });
  if (!isImport.includes(true)) return undefined;
  for (let start = 0; start < lines.length; start++) {
    if (isImport[start] !== true) continue;
    let end = start;
    while (isImport[end] === true) end++;
    const ends = new Set(lines.slice(start, end).map((line) => line.trimEnd().endsWith(';')));
    if (ends.size === 1)
      lines.splice(start, end - start, ...lines.slice(start, end).toSorted(byText));
    start = end;
  }
  return lines.join('\n');
}

const texts = /^(?:plaintext|markdown|ignore|csv|tsv|)$/;

/** Sorts lines that are independent of each other, such as the items of a list. */
function sortLines(request: EditRequest): string | undefined {
  const { piece, language } = request;
  const end = piece.endsWith('\n') ? '\n' : '';
  const lines = piece.slice(0, piece.length - end.length).split('\n');
  if (texts.test(language)) return lines.toSorted(byText).join('\n') + end;
  const { code, kinds, isWhole } = scanPiece(request);
  if (!isWhole || kinds.includes('comment')) return undefined;
  const rows = code.slice(0, piece.length - end.length).split('\n');
  if (!rows.every((row, index) => isItem(row.trimEnd(), lines[index] ?? ''))) return undefined;
  const indents = new Set(lines.map((line) => /^\s*/.exec(line)?.[0]));
  const bodies = lines.map((line) => line.trimEnd());
  const marks = bodies.map((line) => /[,;]$/.exec(line)?.[0] ?? '');
  const last = marks.at(-1) ?? '';
  const isList = marks.slice(0, -1).every((mark) => mark === (marks[0] ?? ''));
  const endsOpen = marks[0] === ',' && last === '';
  if (indents.size > 1 || !isList || (marks[0] !== last && !endsOpen)) return undefined;
  const sorted = bodies.map((line) => line.replace(/[,;]$/, '')).toSorted(byText);
  const cr = lines[0]?.endsWith('\r') === true ? '\r' : '';
  return (
    sorted
      .map((line, index) => line + (index === sorted.length - 1 ? last : (marks[0] ?? '')) + cr)
      .join('\n')
      .replace(/\r$/, lines.at(-1)?.endsWith('\r') === true ? '\r' : '') + end
  );
}

/** Whether a line is a whole item or statement, so that it can be moved among others. */
function isItem(code: string, line: string): boolean {
  const trimmed = line.trim();
  if (trimmed === '' || code.trim() === '') return /^["']/.test(trimmed) && /["'],?$/.test(trimmed);
  const starts =
    /^(?:else|case|default|return|break|continue|elif|except|finally|catch|if|for|while|do|try|end|then|fi|done|export default|[-@.|&+*/?:=<>)\]}([`%^#])/;
  if (starts.test(trimmed) || /[-+*/%&|^=<>?:.([{\\!~]$/.test(trimmed)) return false;
  let depth = 0;
  for (const character of code) {
    if (/[([{]/.test(character)) depth++;
    if (/[)\]}]/.test(character) && --depth < 0) return false;
  }
  return depth === 0;
}

function byText(text: string, other: string): number {
  const [first, second] = [text.trim().toLowerCase(), other.trim().toLowerCase()];
  return first < second ? -1 : first > second ? 1 : 0;
}

function removeComments(request: EditRequest): string | undefined {
  const { piece } = request;
  const { kinds, isWhole, beginsInside } = scanPiece(request);
  if (!isWhole || beginsInside) return undefined;
  let at = 0;
  const lines = piece.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    const isComment = (index: number): boolean => kinds[start + index] === 'comment';
    const isShebang = start === 0 && line.startsWith('#!');
    if (
      isShebang ||
      !Array.from({ length: line.length }, (_, index) => isComment(index)).includes(true)
    )
      return [line];
    // A space keeps the code on both sides apart.
    const code = Array.from({ length: line.length }, (_, index) => {
      if (!isComment(index)) return line[index] ?? '';
      return isComment(index - 1) && index > 0 ? '' : ' ';
    }).join('');
    const end = line.endsWith('\r') ? '\r' : '';
    return code.trim() === '' ? [] : [code.trimEnd() + end];
  });
  return lines.join('\n');
}

function removeBlankLines(request: EditRequest): string | undefined {
  const { kinds } = scanPiece(request);
  let at = 0;
  const lines = request.piece.split('\n').filter((line) => {
    const start = at;
    at += line.length + 1;
    const isFree = lexiconOf(request.language) === undefined || kinds[start] === 'code';
    return line.trim() !== '' || !isFree;
  });
  return lines.join('\n');
}

/** Adds a comment above the first line. */
function addComment(request: EditRequest, [, requested = '']: RegExpExecArray): string | undefined {
  const { piece, before, language } = request;
  const lexicon = lexiconOf(language);
  if (lexicon === undefined || /^(?:json|html|xml)$/.test(language)) return undefined;
  const { kinds, beginsInside } = scanPiece(request);
  const lines = piece.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const above =
    first > 0 ? (lines[first - 1] ?? '') : (before.replace(/\n$/, '').split('\n').at(-1) ?? '');
  const start = lines.slice(0, Math.max(0, first)).join('\n').length + (first > 0 ? 1 : 0);
  if (/^\s*(?:<\?|#!)/.test(lines[first] ?? '')) return undefined;
  if (first < 0 || kinds[start] === undefined || /\\\s*$/.test(above)) return undefined;
  if (start === 0 ? beginsInside : kinds[start - 1] !== 'code') return undefined;
  const text = requested
    .replace(/["“”`\\]/g, '')
    .replaceAll('*/', '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
  const words = text === '' ? 'TODO: Say what this code is for.' : text;
  const [mark] = lexicon.line;
  const [open = '', close = ''] = lexicon.block[0] ?? [];
  const comment = mark === undefined ? `${open} ${words} ${close}` : `${mark} ${words}`;
  const indent = /^[ \t]*/.exec(lines[first] ?? '')?.[0] ?? '';
  const end = lines[first]?.endsWith('\r') === true ? '\r' : '';
  return [...lines.slice(0, first), indent + comment + end, ...lines.slice(first)].join('\n');
}
