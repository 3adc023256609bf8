import { fencedCode } from '../../core/support/text.ts';
import type { EditRequest } from './requests.ts';
import { isSampleFile, withChanges, type DemoScript } from './script.ts';

/**
 * The reply to a command that changes code: the new text of the piece, with changes that are written
 * for the sample. Other code gets one comment.
 */
export function replyToEdit(request: EditRequest, script: DemoScript): string {
  const { texts } = script;
  const { kind, task, path, piece, before, after, language } = request;
  if (task.startsWith('Merge the change below')) return texts.edits.noPlace;
  if (script.explanationsOf({ path, text: before + piece + after }).length === 0) {
    const text = kind === 'edit' ? piece : (request.testText ?? '');
    const commented = withComment(text, texts.general.otherCodeComment, language);
    return commented === undefined ? texts.general.otherCode : fencedCode(commented, language);
  }
  return kind === 'edit' ? editOf(request, script) : testsOf(request, script);
}

function editOf(request: EditRequest, script: DemoScript): string {
  const { task, path, piece, before, language } = request;
  const reviews: Readonly<Record<string, string>> = script.texts.reviews;
  const reviewed = script.sample.changes.filter(({ name }) => {
    const review = reviews[name];
    return review !== undefined && task.endsWith(review);
  });
  const command = script.firstSubject(['fix', 'improve', 'document'], task);
  if (command === undefined && reviewed.length === 0) return script.texts.edits.unknown;
  const changes =
    command === undefined ? reviewed : script.changesOf({ path, text: piece, before }, command);
  return fencedCode(withChanges(piece, changes), language);
}

function testsOf(request: EditRequest, script: DemoScript): string {
  const { path, testPath, testText, language } = request;
  if (testText !== undefined) {
    const changes = script.changesOf({ path: testPath, text: testText }, 'test');
    return fencedCode(withChanges(testText, changes), language);
  }
  const all = Object.entries(script.sample.tests);
  const [, tests] = all.find(([file]) => isSampleFile(path, file)) ?? [];
  if (tests === undefined) return script.texts.tasks.nothingToDo;
  return fencedCode(tests.replace('{module}', relativePath(testPath, path)), language);
}

function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const parts = to.split('/');
  while (folders.length > 0 && folders[0] === parts[0] && parts.length > 1) {
    folders.shift();
    parts.shift();
  }
  return [...(folders.length === 0 ? ['.'] : folders.map(() => '..')), ...parts].join('/');
}

/** Start and end of a comment of one line, and VS Code's ids of the languages that have it. */
const comments: readonly (readonly [start: string, end: string, languages: string])[] = [
  [
    '//',
    '',
    'typescript javascript typescriptreact javascriptreact java kotlin scala swift csharp dart c cpp objective-c objective-cpp groovy go rust php scss less jsonc fsharp',
  ],
  [
    '#',
    '',
    'python shellscript ruby elixir r julia powershell dockerfile dockercompose yaml toml makefile perl coffeescript properties ignore',
  ],
  ['--', '', 'sql lua haskell'],
  [';', '', 'clojure ini lisp'],
  ['%', '', 'latex tex erlang'],
  ['<!--', ' -->', 'html xml xsl markdown vue svelte'],
  ['/*', ' */', 'css'],
];

/** Lines that must come first in their file. */
const firstLine = /^\s*(?:#!|<\?|<!doctype\b|@charset\b|---\s*$)/i;

/** The text with a comment; undefined if the language's comment syntax is unknown. */
function withComment(text: string, comment: string, language: string): string | undefined {
  const [start, end] = comments.find(([, , ids]) => ids.split(' ').includes(language)) ?? [];
  if (start === undefined || end === undefined) return undefined;
  const lines = text === '' ? [] : text.split('\n');
  const at = firstLine.test(lines[0] ?? '') ? 1 : 0;
  const below = lines.slice(at).find((line) => line.trim() !== '') ?? '';
  const indent = /^[ \t]*/.exec(below)?.[0] ?? '';
  const lineEnd = text.includes('\r\n') ? '\r' : '';
  return lines.toSpliced(at, 0, `${indent}${start} ${comment}${end}${lineEnd}`).join('\n');
}
