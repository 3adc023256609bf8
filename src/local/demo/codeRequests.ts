/** Replies to the requests that commands on code and changes write, for the sample. */
import { fencedCode } from '../../core/support/text.ts';
import {
  changesOf,
  explanationsOf,
  isSampleFile,
  sampleChanges,
  sampleFiles,
  temperatureFile,
  temperatureTests,
  withChanges,
} from './sample.ts';

/** Code in a message: a fenced block below a title such as `src/app.ts, lines 3-9:`. */
interface CodeBlock {
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

export const onlySample =
  'I’m Aside’s scripted demo and have no script for this. I only know my sample workspace: send “create the sample” in the chat to get it. Connect a service for anything else.';

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;

/** The code of a message, and its words without the code and the titles. */
export function parseMessage(content: string) {
  const lines = content.split(/\r?\n/);
  const words: string[] = [];
  const blocks: CodeBlock[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, marks, language = ''] = fence.exec(lines[index] ?? '') ?? [];
    if (marks === undefined) {
      words.push(lines[index] ?? '');
      continue;
    }
    const end = lines.findIndex((line, at) => at > index && line.trimEnd() === marks);
    const text = lines.slice(index + 1, end < 0 ? undefined : end).join('\n');
    index = end < 0 ? lines.length : end;
    const above = words.findLastIndex((line) => line.trim() !== '');
    const title = (words[above] ?? '').trim();
    const hasTitle = /[/.\\]|:$/.test(title);
    if (hasTitle) words.splice(above);
    blocks.push({ title: hasTitle ? title.replace(/:$/, '') : '', language, text });
  }
  return { words: words.join('\n').trim(), blocks };
}

/** Replies by the task in the system message. */
const codeReplies: Readonly<Record<string, (content: string) => string>> = {
  'rewrite one': replyToEdit,
  'write tests': replyToTests,
  'review changes': replyToReview,
  'write commit': replyToCommit,
};

/** The reply to a request that a command writes itself; undefined for a chat. */
export function replyToCodeRequest(
  messages: readonly { readonly content: string }[],
): string | undefined {
  const [system, user, ...more] = messages;
  if (system === undefined || user === undefined || more.length > 0) return undefined;
  const task = /^You are Aside, a coding assistant in VS Code\. You (\w+ \w+)/;
  return codeReplies[task.exec(system.content)?.[1] ?? '']?.(user.content);
}

/**
 * The changed piece of code. An instruction that the demo doesn't know, as in another language than
 * English, gets the documentation of the piece.
 */
function replyToEdit(content: string): string {
  const { words, blocks } = parseMessage(content);
  const piece = blocks.find(({ title }) => title.includes(', the piece to rewrite'));
  if (piece === undefined) return onlySample;
  const { title, language, text } = piece;
  const before = blocks.find((block) => block.title.includes(', the code before'))?.text;
  const instruction = /^Task: ([^]*)$/m.exec(words)?.[1]?.trim() ?? '';
  const improve = /^(?:make this code simpler|improve|clean up|simplify)\b/i;
  const other = improve.test(instruction) ? 'improve' : 'document';
  const task = /^fix\b/i.test(instruction) ? 'fix' : other;
  const reviewed = sampleChanges.filter(
    ({ review }) => review !== undefined && instruction.endsWith(review),
  );
  const changes = reviewed.length > 0 ? reviewed : changesOf(task, title, text, before);
  const changed = withChanges(text, changes);
  return changed === text ? onlySample : fencedCode(changed, language);
}

function replyToTests(content: string): string {
  const { words, blocks } = parseMessage(content);
  const tested = blocks.find(({ title }) => title.includes(', the code to test'));
  const isNew = words.includes('The tests go into the new file');
  if (!isNew || tested === undefined || !isSampleFile(tested.title, temperatureFile))
    return onlySample;
  const isSample = explanationsOf(tested.title, tested.text).length > 0;
  return isSample ? fencedCode(temperatureTests, tested.language) : onlySample;
}

/** Comments as JSON, each on added lines that a change of the sample would replace. */
function replyToReview(content: string): string {
  const added = parseMessage(content).blocks.map(({ title, text }) =>
    text.split('\n').flatMap((numbered) => {
      const [, line, code] = /^ *(\d+) \+(.*)$/.exec(numbered) ?? [];
      const file = title.replace(/ \(cut: [^()]*\)$/, '');
      return code === undefined ? [] : [{ file, line: Number(line), code }];
    }),
  );
  const comments = sampleChanges.flatMap(({ file: path, search, review: comment }) => {
    const old = search.split('\n');
    return added.flatMap((lines) => {
      const start = lines.find(
        ({ file }, at) =>
          isSampleFile(file, path) && old.every((code, line) => lines[at + line]?.code === code),
      );
      if (start === undefined || comment === undefined) return [];
      const { file, line } = start;
      const endLine = line + old.length - 1;
      return [JSON.stringify({ file, line, endLine, kind: 'bug', comment })];
    });
  });
  if (comments.length > 0) return comments.join('\n');
  const texts = [...Object.values(sampleFiles), ...sampleChanges.map(({ replace }) => replace)];
  const known = new Set(texts.flatMap((text) => text.split('\n')));
  return added.flat().every(({ code }) => known.has(code)) ? 'none' : onlySample;
}

function replyToCommit(content: string): string {
  const files = parseMessage(content).blocks.map(({ title, text }) => ({
    title,
    added: text.split('\n').flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : [])),
  }));
  if (files.some(({ added }) => added.includes('export class Station {')))
    return 'Add the weather station';
  const made = sampleChanges.find(({ file, search, replace }) => {
    const old = new Set(['', ...search.split('\n')]);
    const lines = replace.split('\n').filter((line) => !old.has(line));
    return files.some(
      ({ title, added }) =>
        isSampleFile(title, file) && lines.every((line) => added.includes(line)),
    );
  });
  if (made === undefined) return onlySample;
  return made.reason === undefined ? made.commit : `${made.commit}\n\n${made.reason}`;
}
