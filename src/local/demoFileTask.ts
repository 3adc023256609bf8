import * as z from 'zod/mini';
import { parseJson } from '../core/support/json.ts';
import { parseMessage } from './demoAttachments.ts';
import { documentPiece } from './demoDocument.ts';
import type { EditRequest } from './demoEditRequest.ts';
import { fixPiece, improvePiece } from './demoFixes.ts';
import { lexiconOf } from './demoScanner.ts';
import { findPaths } from './demoToolUse.ts';
import type { ParsedRequest, RequestMessage } from './request.ts';
import type { ScriptedReply } from './scriptedReply.ts';

/** A call of a tool that was made in a turn, and its result. */
interface EndedCall {
  readonly name: string;
  /** Arguments as JSON. */
  readonly arguments: string;
  readonly result: string;
}

/** Text to find in a file, and its replacement. */
interface Replacement {
  readonly search: string;
  readonly replace: string;
}

const change = /\b(?:improve\w*|fix|document|clean up|tidy|change|edit)\b/i;
const openFile = /\b(?:open|current|active|this) file\b/i;
const newFile = /\b(?:create|add|make) (?:me )?(?:an?|the|this|some) (?:new )?(?:\w+ )?files?\b/i;

/**
 * Performs a task that takes several tools: improves the open file or a named one, or creates one.
 * Undefined if the message asks for none of these, or the tools for it are missing.
 */
export function followFileTask({ messages, tools }: ParsedRequest): ScriptedReply | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const { question } = parseMessage(messages[at]?.content ?? '');
  const names = (tools ?? []).map((tool) => tool.function.name);
  const has = (...needed: readonly string[]): boolean =>
    needed.every((name) => names.includes(name));
  // A message that names a tool or its arguments asks for that call.
  if (question.includes('{') || names.some((name) => question.includes(name))) return undefined;
  const [path] = findPaths(question);
  const calls = endedCalls(messages.slice(at + 1));
  if (change.test(question) && has('read_file', 'edit_file')) {
    if (path !== undefined) return improveFile(calls, path);
    if (openFile.test(question) && has('get_editor_state')) return improveFile(calls, undefined);
  }
  if (newFile.test(question) && has('create_file')) return createFile(calls, path ?? 'notes.md');
  return undefined;
}

function improveFile(calls: readonly EndedCall[], named: string | undefined): ScriptedReply {
  const last = calls.at(-1);
  if (last === undefined && named === undefined)
    return call('I’ll look at what you have open.', 'get_editor_state', {});
  switch (last?.name) {
    case 'edit_file':
      return { content: afterEdit(last.result) };
    case 'read_file':
      return proposeEdit(last);
    default: {
      const path = named ?? openPath(last?.result ?? '');
      if (path === undefined) return { content: nothingOpen };
      return call(`I’ll read \`${path}\`.`, 'read_file', { path });
    }
  }
}

const nothingOpen = 'No file is open in the editor. Open one, and ask again.';

function proposeEdit({ arguments: json, result }: EndedCall): ScriptedReply {
  const { path = '' } = givenPath.safeParse(parseJson(json)).data ?? {};
  const text = readText(result);
  const improved = text === undefined ? undefined : improvedText(path, text);
  if (text === undefined || improved === undefined) {
    const content = `I found nothing in \`${path}\` that I can certainly improve. I add comments to functions without them, and fix small slips, in common languages.`;
    return { content };
  }
  const edits = replacements(text, improved);
  const added = `I’ll make ${edits.length === 1 ? 'one small change' : `${edits.length} small changes`} in \`${path}\`. Nothing is written before you allow it.`;
  return call(added, 'edit_file', { path, edits });
}

function afterEdit(result: string): string {
  if (/\bdenied\b/.test(result)) return 'You denied the edit, so the file is as it was.';
  if (/^Changed\b/.test(result))
    return 'Done. The list of changed files below shows the difference, and **Undo** brings the file back as it was.';
  return `The edit wasn’t made:\n\n> ${result.split('\n')[0] ?? ''}`;
}

function createFile(calls: readonly EndedCall[], path: string): ScriptedReply {
  const last = calls.at(-1);
  const content = contentFor(path);
  if (content === undefined)
    return { content: `I don’t know how to begin a file like \`${path}\`. Try \`notes.md\`.` };
  if (last === undefined)
    return call(`I’ll create \`${path}\`. You decide whether it’s written.`, 'create_file', {
      path,
      content,
    });
  if (/\bdenied\b/.test(last.result)) return { content: 'You denied it, so there is no new file.' };
  return { content: last.result.startsWith('Created') ? `\`${path}\` is there.` : last.result };
}

const words = 'Written in the demo of Aside';

function contentFor(path: string): string | undefined {
  const language = languageOf(path);
  if (/\.(?:md|txt)$/i.test(path)) return `# ${words}\n\n- Something to do\n- Something to try\n`;
  if (language === 'json') return '{}\n';
  const { line, block } = lexiconOf(language) ?? { line: [], block: [] };
  const [open, close] = block[0] ?? [];
  if (line[0] !== undefined) return `${line[0]} ${words}.\n`;
  return open === undefined || close === undefined ? undefined : `${open} ${words}. ${close}\n`;
}

function call(content: string, name: string, args: object): ScriptedReply {
  return { content, toolCalls: [{ name, arguments: JSON.stringify(args) }] };
}

/** The calls since the last message, with their results. */
function endedCalls(messages: readonly RequestMessage[]): readonly EndedCall[] {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const made = calls.find(({ id }) => id === message.tool_call_id);
    return made === undefined ? [] : [{ ...made.function, result: message.content }];
  });
}

const givenPath = z.object({ path: z.string() });

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

const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  rs: 'rust',
  rb: 'ruby',
  kt: 'kotlin',
  cs: 'csharp',
  sh: 'shellscript',
  h: 'c',
  cc: 'cpp',
  hpp: 'cpp',
  yml: 'yaml',
};

/** VS Code's id of a language, by the extension of a path. */
function languageOf(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(languages, ending) ? (languages[ending] ?? ending) : ending;
}

const mostReplacements = 3;

/** The text with a few comments or fixes; undefined if there is nothing to improve. */
function improvedText(path: string, piece: string): string | undefined {
  const request: EditRequest = {
    ...{ kind: 'edit', path, language: languageOf(path), piece, before: '', isFromStart: true },
    ...{ after: '', task: '', testPath: '', testText: undefined },
  };
  for (const improve of [documentPiece, fixPiece, improvePiece]) {
    const text = improve(request);
    if (replacements(piece, text).length > 0) return text;
  }
  return undefined;
}

/**
 * The first few differences between two texts as replacements, which are applied one after the
 * other: the search text of each occurs once. Lines are either changed or inserted.
 */
export function replacements(before: string, after: string): readonly Replacement[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const isInserted = old.length !== now.length;
  const result: Replacement[] = [];
  let text = before;
  let to = 0;
  for (let at = 0; at < old.length && result.length < mostReplacements; at++) {
    const end = isInserted ? now.indexOf(old[at] ?? '', to) : to;
    if (end < 0) break;
    const lines = now.slice(to, end + 1);
    to = end + 1;
    if (lines.length === 1 && lines[0] === old[at]) continue;
    const replacement = unique(text, old.slice(at), lines);
    if (replacement === undefined) continue;
    result.push(replacement);
    text = text.replace(replacement.search, () => replacement.replace);
  }
  return result;
}

/** Replaces the first of these lines, with as many of the next ones as make it unique. */
function unique(
  text: string,
  [first = '', ...following]: readonly string[],
  lines: readonly string[],
): Replacement | undefined {
  for (let count = 0; count <= Math.min(5, following.length); count++) {
    const more = following.slice(0, count);
    const search = [first, ...more].join('\n');
    if (search.trim() === '' || text.indexOf(search) !== text.lastIndexOf(search)) continue;
    return { search, replace: [...lines, ...more].join('\n') };
  }
  return undefined;
}
