import { parseMessage, requestOf, type Message } from './requests.ts';
import { isSampleFile, type DemoScript } from './script.ts';

interface AddedLine {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The reply to Review Changes; undefined for any other request. */
export function replyToReview(
  messages: readonly Message[],
  script: DemoScript,
): string | undefined {
  const request = requestOf(messages, 'You review changes ');
  if (request === undefined) return undefined;
  const files = parseMessage(request).blocks.map(({ title, text }) => addedLines(title, text));
  const comments = files.flatMap((lines) => commentsOn(lines, script));
  if (comments.length > 0) return comments.join('\n');
  const known = linesOf(script);
  const isKnown = files.flat().every(({ code }) => known.has(code));
  return isKnown ? 'none' : script.texts.general.otherCode;
}

/** All lines that the sample has, before and after its changes. */
function linesOf({ sample }: DemoScript): ReadonlySet<string> {
  const changed = sample.changes.map(({ replace }) => replace);
  return new Set([...Object.values(sample.files), ...changed].flatMap((text) => text.split('\n')));
}

function addedLines(title: string, text: string): readonly AddedLine[] {
  const file = title.replace(/ \(cut: [^()]*\)$/, '');
  return text.split('\n').flatMap((numbered) => {
    const [, line, code] = /^ *(\d+) \+(.*)$/.exec(numbered) ?? [];
    return code === undefined ? [] : [{ file, line: Number(line), code }];
  });
}

/** Comments as JSON, each on added lines that a change of the sample would replace. */
function commentsOn(lines: readonly AddedLine[], script: DemoScript): readonly string[] {
  const reviews: Readonly<Record<string, string>> = script.texts.reviews;
  return script.sample.changes.flatMap(({ name, search, ...change }) => {
    const comment = reviews[name];
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
export function replyToCommit(
  messages: readonly Message[],
  script: DemoScript,
): string | undefined {
  const { texts, sample } = script;
  const request = requestOf(messages, 'You write commit messages\\.');
  if (request === undefined) return undefined;
  const files = parseMessage(request).blocks.map(({ title, text }) => ({
    title,
    added: text.split(/\r?\n/).flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : [])),
  }));
  if (files.some(({ added }) => added.some((line) => line.startsWith('export class Station'))))
    return texts.commits.sample;
  const changes = sample.changes.filter(({ file, search, replace }) => {
    const old = new Set(['', ...search.split('\n')]);
    const lines = replace.split('\n').filter((line) => !old.has(line));
    return files.some(
      ({ title, added }) =>
        isSampleFile(title, file) && lines.every((line) => added.includes(line)),
    );
  });
  const [first, ...more] = new Set(changes.map(({ name }) => name));
  if (first === undefined) return texts.general.otherCode;
  const reasons: Readonly<Record<string, string>> = texts.reasons;
  const reason = reasons[first];
  const others = more.map((name) => `${texts.commits[name].replace(/[.。]$/, '')}.`);
  const body = [...(reason === undefined ? [] : [reason]), ...others];
  return [texts.commits[first], ...(body.length === 0 ? [] : ['', ...body])].join('\n');
}
