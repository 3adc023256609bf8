import { isSampleFile } from './match.ts';
import { parseMessage, requestOf, type Message } from './requests.ts';
import { sampleChanges, sampleFiles } from './sample.ts';
import { changeTexts, otherCodeText, sampleCommit } from './texts.ts';

/** An added line of a changed file. */
interface AddedLine {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** All lines that the sample has, before and after its changes. */
const knownLines = new Set(
  [...Object.values(sampleFiles), ...sampleChanges.map(({ replace }) => replace)].flatMap((text) =>
    text.split('\n'),
  ),
);

/** The reply to Review Changes; undefined for any other request. */
export function replyToReview(messages: readonly Message[]): string | undefined {
  const request = requestOf(messages, 'You review changes ');
  if (request === undefined) return undefined;
  const files = parseMessage(request).blocks.map(({ title, text }) => addedLines(title, text));
  const comments = files.flatMap(commentsOn);
  if (comments.length > 0) return comments.join('\n');
  return files.flat().every(({ code }) => knownLines.has(code)) ? 'none' : otherCodeText;
}

function addedLines(title: string, text: string): readonly AddedLine[] {
  const file = title.replace(/ \(cut: [^()]*\)$/, '');
  return text.split('\n').flatMap((numbered) => {
    const [, line, code] = /^ *(\d+) \+(.*)$/.exec(numbered) ?? [];
    return code === undefined ? [] : [{ file, line: Number(line), code }];
  });
}

/** Comments as JSON, each on added lines that a change of the sample would replace. */
function commentsOn(lines: readonly AddedLine[]): readonly string[] {
  return sampleChanges.flatMap(({ name, search, ...change }) => {
    const { review: comment } = changeTexts[name] ?? {};
    const old = search.split('\n');
    const start = lines.find(({ file }, at) => {
      const isThere = old.every((code, offset) => lines[at + offset]?.code === code);
      return isThere && isSampleFile(file, change.file);
    });
    if (comment === undefined || start === undefined) return [];
    const { file, line } = start;
    return [JSON.stringify({ file, line, endLine: line + old.length - 1, kind: 'bug', comment })];
  });
}

/** The reply to Write Commit Message; undefined for any other request. */
export function replyToCommit(messages: readonly Message[]): string | undefined {
  const request = requestOf(messages, 'You write commit messages\\.');
  if (request === undefined) return undefined;
  const files = parseMessage(request).blocks.map(({ title, text }) => ({
    title,
    added: text.split(/\r?\n/).flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : [])),
  }));
  if (files.some(({ added }) => added.some((line) => line.startsWith('export class Station'))))
    return sampleCommit;
  const changes = sampleChanges.filter(({ file, search, replace }) => {
    const old = new Set(['', ...search.split('\n')]);
    const lines = replace.split('\n').filter((line) => !old.has(line));
    return files.some(
      ({ title, added }) =>
        isSampleFile(title, file) && lines.every((line) => added.includes(line)),
    );
  });
  const names = new Set(changes.map(({ name }) => name));
  const [first, ...more] = [...names].flatMap((name) => changeTexts[name] ?? []);
  if (first === undefined) return otherCodeText;
  const body = [...(first.why === undefined ? [] : [first.why]), ...more.map(sentenceOf)];
  return [first.commit, ...(body.length === 0 ? [] : ['', ...body])].join('\n');
}

function sentenceOf({ commit }: { readonly commit: string }): string {
  return `${commit}.`;
}
