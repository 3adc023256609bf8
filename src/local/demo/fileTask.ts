import * as z from 'zod/mini';
import { parseJson } from '../../core/support/json.ts';
import { testCommand, type SampleChange } from './sample.ts';
import { isSampleFile, withChanges, type DemoScript } from './script.ts';
import { fill } from './texts.ts';

/** A call of a tool that was made in a turn, and its result. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
}

/** A message that may ask for a task with several tools, and the state of that task. */
export interface FileTask {
  readonly question: string;
  readonly path: string | undefined;
  readonly tools: readonly string[];
  /** The calls since the message. */
  readonly calls: readonly EndedCall[];
}

interface ToolReply {
  readonly content: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
}

const testedFiles = ['server/test_report.py', 'server/report.py'];

/**
 * Performs a task on the sample that takes several tools: creates it, repairs its failing test, or
 * improves a file. Undefined if the message requests none of these, or the tools are missing.
 */
export function followFileTask(task: FileTask, script: DemoScript): ToolReply | undefined {
  const { question, path, tools, calls } = task;
  const has = (...names: readonly string[]): boolean => names.every((name) => tools.includes(name));
  // A message that names a tool or its arguments asks for that call.
  if (question.includes('{') || tools.some((name) => question.includes(name))) return undefined;
  if (script.isAbout('createSample', question) && has('create_file'))
    return createSample(calls, script);
  if (!has('read_file', 'edit_file')) return undefined;
  if (question.includes('- [x]')) return carryOut(calls, script);
  const isAboutSample =
    path === undefined || Object.keys(script.sample.files).some((file) => isSampleFile(path, file));
  if (isAboutSample && script.isAbout('failingTest', question))
    return repair(calls, has('run_command'), script);
  if (!script.isAbout('change', question)) return undefined;
  const looks = script.isAbout('openFile', question) && has('get_editor_state');
  return path !== undefined || looks ? improveFile(calls, path, script) : undefined;
}

function createSample(calls: readonly EndedCall[], { texts, sample }: DemoScript): ToolReply {
  const { tasks } = texts;
  const failed = calls.find(({ result }) => !result.startsWith('Created'));
  if (failed !== undefined) return { content: `${tasks.notCreated}\n\n${quoted(failed.result)}` };
  if (calls.length > 0) return { content: tasks.created };
  const files = Object.entries(sample.files).map(([path, content]) => ({ path, content }));
  return call(tasks.create, 'create_file', ...files);
}

function repair(calls: readonly EndedCall[], mayRun: boolean, script: DemoScript): ToolReply {
  const last = calls.at(-1);
  const { tasks } = script.texts;
  switch (last?.name) {
    case undefined:
      return call(tasks.readTests, 'read_file', ...testedFiles.map((path) => ({ path })));
    case 'read_file':
      return proposeEdit(last, ['fix'], tasks.repair, script);
    case 'edit_file':
      if (!mayRun || !isChanged(last)) return { content: afterEdit(last, script) };
      return call(tasks.run, 'run_command', { command: testCommand });
    default:
      return { content: afterTest(last?.result ?? '', script) };
  }
}

/** The steps of the demo's plan, in the order of its list. */
const plannedSteps = [
  { path: 'src/temperature.ts', task: 'fix' },
  { path: 'server/report.py', task: 'fix' },
  { path: 'server/report.py', task: 'document' },
] as const;

/** Carries out the plan, with its list before each step. A step that was done before needs no edit. */
function carryOut(calls: readonly EndedCall[], script: DemoScript): ToolReply {
  const { tasks, topics, general } = script.texts;
  const paths = [...new Set(plannedSteps.map(({ path }) => path))];
  if (calls.length === 0) {
    const file = paths.map((path) => `\`${path}\``).join(', ');
    return call(fill(tasks.read, { file }), 'read_file', ...paths.map((path) => ({ path })));
  }
  const texts = new Map(paths.map((path, at) => [path, readText(calls[at]?.result ?? '') ?? '']));
  const edits = calls.slice(paths.length);
  const ticks: boolean[] = [];
  const list = (): string =>
    topics.plan
      .split('\n')
      .filter((line) => line.startsWith('- [ ]'))
      .map((line, at) => (ticks[at] === true ? line.replace('[ ]', '[x]') : line))
      .join('\n');
  for (const { path, task } of plannedSteps) {
    const text = texts.get(path) ?? '';
    if (script.explanationsOf({ path, text }).length === 0) return { content: general.otherCode };
    const changes = script.changesOf({ path, text }, task);
    const edit = changes.length === 0 ? undefined : edits.shift();
    if (changes.length > 0 && edit === undefined)
      return call(list(), 'edit_file', { path, edits: changes.map(editOf) });
    const isDone = edit === undefined || isChanged(edit);
    if (isDone) texts.set(path, withChanges(text, changes));
    ticks.push(isDone);
  }
  return { content: `${list()}\n\n${ticks.includes(false) ? tasks.denied : tasks.done}` };
}

function editOf({ search, replace }: SampleChange): Pick<SampleChange, 'search' | 'replace'> {
  return { search, replace };
}

function improveFile(
  calls: readonly EndedCall[],
  path: string | undefined,
  script: DemoScript,
): ToolReply {
  const last = calls.at(-1);
  const { tasks } = script.texts;
  if (last === undefined && path === undefined) return call(tasks.look, 'get_editor_state', {});
  switch (last?.name) {
    case 'edit_file':
      return { content: afterEdit(last, script) };
    case 'read_file':
      return proposeEdit(last, ['fix', 'improve', 'document'], tasks.propose, script);
    default: {
      const file = path ?? openPath(last?.result ?? '');
      if (file === undefined) return { content: tasks.nothingOpen };
      return call(fill(tasks.read, { file: `\`${file}\`` }), 'read_file', { path: file });
    }
  }
}

const readArguments = z.object({ path: z.string() });

/** Proposes the changes of the first task that applies to the file that was read. */
function proposeEdit(
  read: EndedCall,
  tasks: readonly string[],
  words: string,
  script: DemoScript,
): ToolReply {
  const { path = '' } = readArguments.safeParse(parseJson(read.arguments)).data ?? {};
  const text = readText(read.result);
  if (text === undefined || script.explanationsOf({ path, text }).length === 0)
    return { content: script.texts.general.otherCode };
  const all = tasks.map((task) => script.changesOf({ path, text }, task));
  const changes = all.find(({ length }) => length > 0) ?? [];
  if (changes.length === 0) return { content: script.texts.tasks.nothingToDo };
  return call(words, 'edit_file', { path, edits: changes.map(editOf) });
}

function isChanged({ result }: EndedCall): boolean {
  return result.startsWith('Changed ');
}

function afterEdit(edit: EndedCall, { texts }: DemoScript): string {
  if (/\bdenied\b/.test(edit.result)) return texts.tasks.denied;
  if (isChanged(edit)) return texts.tasks.done;
  return `${texts.tasks.notMade}\n\n${quoted(edit.result)}`;
}

function afterTest(result: string, { texts }: DemoScript): string {
  if (/^Exit code 0\b/.test(result)) return texts.tasks.passes;
  return `${texts.tasks.doesNotPass}\n\n${quoted(result)}`;
}

function quoted(result: string): string {
  return `> ${result.split('\n')[0] ?? ''}`;
}

function call(content: string, name: string, ...all: readonly object[]): ToolReply {
  const toolCalls = all.map((args) => ({ name, arguments: JSON.stringify(args) }));
  return { content, toolCalls };
}

/** The active file, otherwise the first open one. */
function openPath(state: string): string | undefined {
  const [, active] = /^Active: (.+)$/m.exec(state) ?? [];
  const [, first] = /^Open files:\n(.+)$/m.exec(state) ?? [];
  const path = (active ?? first)?.replace(/, not saved$/, '');
  return path?.endsWith('(no file yet)') === true ? undefined : path;
}

/** The text of a file that was read as a whole. */
function readText(result: string): string | undefined {
  const [head = '', ...lines] = result.split('\n');
  const [, last, all] = /, lines 1-(\d+) of (\d+)(?:, not saved)?$/.exec(head) ?? [];
  if (all === undefined || last !== all || lines.length !== Number(all)) return undefined;
  const texts = lines.map((line) => /^ *\d+\t(.*)$/.exec(line)?.[1]);
  const text = texts.filter((line) => line !== undefined);
  return text.length === lines.length ? text.join('\n') : undefined;
}
