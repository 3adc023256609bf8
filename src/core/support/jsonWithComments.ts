import { parseJson } from './json.ts';

/** Parses JSON as people write it: with comments and commas before closing brackets. */
export function parseJsonWithComments(text: string): unknown {
  const json: string[] = [];
  let between = '';
  for (let at = 0; at < text.length;) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    if (token.startsWith('"')) {
      json.push(withoutLastCommas(between), token);
      between = '';
    } else between += token.startsWith('//') || token.startsWith('/*') ? ' ' : token;
    at = end;
  }
  return parseJson([...json, withoutLastCommas(between)].join(''));
}

/** The end of the string, the comment or the text between them that begins at `start`. */
function endOfToken(text: string, start: number): number {
  const two = text.slice(start, start + 2);
  if (two === '//') return indexOrEnd(text, '\n', start);
  if (two === '/*') return Math.min(text.length, indexOrEnd(text, '*/', start + 2) + 2);
  if (two.startsWith('"')) return endOfString(text, start);
  const next = /["/]/g;
  next.lastIndex = start + 1;
  return next.exec(text)?.index ?? text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function indexOrEnd(text: string, searched: string, from: number): number {
  const index = text.indexOf(searched, from);
  return index < 0 ? text.length : index;
}

function withoutLastCommas(text: string): string {
  return text.replace(/,(\s*[}\]])/g, '$1');
}
