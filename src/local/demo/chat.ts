/** What the demo replies: in a chat, to tasks on the files of the sample, and to commands on code. */
import * as z from 'zod/mini';
import { parseJson } from '../../core/support/json.ts';
import {
  changesOf,
  explanationsOf,
  isSampleFile,
  reportFile,
  reportTestFile,
  sampleFiles,
  temperatureFile,
  testCommand,
  sampleChanges,
  temperatureTests,
  withChanges,
} from './sample.ts';
import { fencedCode } from '../../core/support/text.ts';

/** The messages of the starters of an empty chat, whose own texts are in the language of VS Code. */
export const starterMessages: Readonly<Record<string, string>> = {
  explain: 'Call read_file for {path}, and explain it.',
  improve: 'Improve the open file.',
  changes: 'Call get_changes.',
  project: 'Call list_files, and explain them.',
  help: 'What can you do?',
};

const abilities = `- “create the sample” writes a small workspace, a weather station
- “improve the open file” and “the test fails, fix it” read and edit its files, with your approval
- **Explain**, **Fix**, **Improve**, **Document**, **Write Tests** and **Edit…** work on its code, **Write Commit Message** and **Review Changes** on its changes
- “/plan” writes a plan that you can start
- “show me markdown” and “write 3000 words” show what replies look like
- “/fault cut”, “/fault 429 2” and “/fault stall” show what happens when a service fails

Run **Aside: Connect to a Service…** for real replies.`;

/** The plan of the demo, with its first steps done. */
function plan(done: number): string {
  const steps = [
    `Read \`${reportTestFile}\`, whose test fails, and the code that it’s about.`,
    `Make the first column of \`${reportFile}\` as wide as the longest name.`,
    'Run the test.',
  ];
  return steps.map((step, at) => `- [${at < done ? 'x' : ' '}] ${step}`).join('\n');
}

/** The reply to a message without code or a task. */
export function replyToMessage(message: string): string {
  if (/\bsample\b/i.test(message))
    return 'My sample is a small weather station: TypeScript, and a report in Python with a failing test. To get it, open an empty folder that you trust, use a model with tools, and send “create the sample”.';
  if (/^\W*(?:hello|hi|hey)\b/i.test(message))
    return 'Hello! I’m the **Aside** demo. Ask me “what can you do?”, select some code and run **Aside: Explain**, or say “show me markdown” to see what replies look like.';
  const isHelp = /\bwhat can you\b|\bhelp\b/i.test(message);
  const start = isHelp ? 'I’m **Aside**, a chat beside your code.' : 'I have no script for that.';
  return `${start} This is a scripted demo, not a language model. I know:\n\n${abilities}`;
}

/** The explanation of code that was attached, read or listed; undefined for other code. */
export function explain(
  code: readonly { readonly title: string; readonly text: string }[],
): string | undefined {
  const project = `This is my sample, a small weather station: \`${temperatureFile}\` converts and describes temperatures, and averages the readings of a station. \`${reportFile}\` writes the daily report, and has tests. Select a function and run **Aside: Explain**, or send “the test fails, fix it”.`;
  const texts = code.flatMap(({ title, text }) =>
    text.includes('temperature.ts') && text.includes('report.py')
      ? [project]
      : explanationsOf(title, text),
  );
  return texts.length === 0 ? undefined : [...new Set(texts)].join('\n\n');
}

/** A call of a tool in a turn, and its result. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
}

interface Step {
  readonly content: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * The next step of a task on files: creates the sample, repairs its failing test as asked or
 * planned, or improves a file. Undefined if the message requests none of these, or tools are missing.
 * @param path that the message names
 * @param calls since the message
 */
export function followTask(
  message: string,
  path: string | undefined,
  tools: readonly string[],
  calls: readonly EndedCall[],
): Step | undefined {
  const isPlan = message.includes('- [x]');
  if (message.includes('- [ ]') && !isPlan)
    return {
      content: `Here is a plan for the weather station:\n\n${plan(0)}\n\nNothing is changed yet, and each edit will need your approval.`,
    };
  // A message that names a tool or its arguments asks for that call.
  if (message.includes('{') || tools.some((name) => message.includes(name))) return undefined;
  if (/\bcreate (?:a|the|your) sample\b/i.test(message) && tools.includes('create_file'))
    return createSample(calls);
  if (!tools.includes('read_file') || !tools.includes('edit_file')) return undefined;
  const last = calls.at(-1);
  const step = (done: number, words: string): string =>
    isPlan ? `${plan(done)}\n\n${words}` : words;
  const isAboutSample =
    path === undefined || Object.keys(sampleFiles).some((file) => isSampleFile(path, file));
  const isRepair = isPlan || (isAboutSample && /\btests?\b.{0,40}\bfail/i.test(message));
  const isChange = /\b(?:improve|fix|document|change)\b/i.test(message);
  const hasFile = path !== undefined || /\b(?:open|this) file\b/i.test(message);
  if (!isRepair && !(isChange && hasFile)) return undefined;
  if (last === undefined && isRepair) {
    const paths = [{ path: reportTestFile }, { path: reportFile }];
    return call('I’ll read the test and the code that it’s about.', 'read_file', paths);
  }
  if (last === undefined && path === undefined)
    return call('I’ll look at what you have open.', 'get_editor_state', [{}]);
  if (last === undefined || last.name === 'get_editor_state') {
    const file = path ?? openFile(last?.result ?? '');
    if (file !== undefined) return call(`I’ll read \`${file}\`.`, 'read_file', [{ path: file }]);
    return { content: 'No file is open in the editor. Open one, and ask again.' };
  }
  if (last.name === 'read_file') {
    const change = changesIn(last, isRepair ? ['fix'] : ['fix', 'improve', 'document']);
    if (change === undefined) return { content: onlySample };
    if (change.edits.length === 0)
      return { content: `I have no change for this file. Try **${temperatureFile}**.` };
    const words = isRepair
      ? 'The test is right. A name of more than twelve characters is wider than its column, so the numbers of its row move. I’ll make the column as wide as the longest name.'
      : 'Here is a small change. Nothing is written before you allow it.';
    return call(step(1, words), 'edit_file', [change]);
  }
  if (last.name === 'edit_file') {
    const isChanged = last.result.startsWith('Changed ');
    if (isChanged && isRepair && tools.includes('run_command'))
      return call(step(2, 'Now I’ll run the test.'), 'run_command', [{ command: testCommand }]);
    if (isChanged)
      return {
        content:
          'Done. The list of changed files below shows the difference, and **Undo** brings the file back as it was.',
      };
    const isDenied = /\bdenied\b/.test(last.result);
    const refused = isDenied ? 'You denied the edit, so' : `${quoted(last)}\n\nSo`;
    return { content: `${refused} the file is as it was.` };
  }
  if (!last.result.startsWith('Exit code 0'))
    return { content: `The code is changed, but I couldn’t see the test pass:\n\n${quoted(last)}` };
  const passes =
    'The test passes. The first column was always twelve characters wide. Now it’s as wide as the longest name, and the heading follows.';
  return { content: step(3, passes) };
}

function createSample(calls: readonly EndedCall[]): Step {
  const failed = calls.find(({ result }) => !result.startsWith('Created'));
  if (failed !== undefined) return { content: `The sample wasn’t created:\n\n${quoted(failed)}` };
  if (calls.length > 0)
    return {
      content: `The sample is there. Open **${temperatureFile}**, select a function and run **Aside: Explain**, or send “the test fails, fix it”.`,
    };
  const files = Object.entries(sampleFiles).map(([path, content]) => ({ path, content }));
  const words = 'I’ll create the sample in this folder. You decide which files are written.';
  return call(words, 'create_file', files);
}

const readArguments = z.object({ path: z.string() });

/**
 * The changes of the first task that applies to a file that was read as a whole; undefined for files
 * outside the sample.
 */
function changesIn(
  { arguments: json, result }: EndedCall,
  tasks: readonly ('fix' | 'improve' | 'document')[],
) {
  const { path = '' } = readArguments.safeParse(parseJson(json)).data ?? {};
  const [head = '', ...lines] = result.split('\n');
  const isWhole = head.includes(`, lines 1-${lines.length} of ${lines.length}`);
  const text = lines.map((line) => line.replace(/^ *\d+\t/, '')).join('\n');
  if (!isWhole || explanationsOf(path, text).length === 0) return undefined;
  const changes = tasks.map((task) => changesOf(task, path, text));
  const edits = changes.find(({ length }) => length > 0) ?? [];
  return { path, edits: edits.map(({ search, replace }) => ({ search, replace })) };
}

/** The active file, otherwise the first open one. */
function openFile(state: string): string | undefined {
  const [, file] = /^Active: (.+)$/m.exec(state) ?? /^Open files:\n(.+)$/m.exec(state) ?? [];
  return file?.endsWith('(no file yet)') === true ? undefined : file?.replace(/, not saved$/, '');
}

function call(content: string, name: string, all: readonly object[]): Step {
  const toolCalls = all.map((parameters) => ({ name, arguments: JSON.stringify(parameters) }));
  return { content, toolCalls };
}

function quoted({ result }: EndedCall): string {
  return `> ${result.split('\n')[0] ?? ''}`;
}

/** Replies to the requests that commands on code and changes write, for the sample. */

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
