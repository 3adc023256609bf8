import { findDefinitions, wordsOf, type Definition } from './demoDefinitions.ts';
import { lexiconOf, scanCode } from './demoScanner.ts';
import type { EditRequest } from './demoEditRequest.ts';

/** Writes the lines of a documentation comment, without indentation. */
type CommentStyle = (sentence: string, definition: Definition) => readonly string[];

const block: CommentStyle = (sentence, { params }) => {
  if (params.length === 0) return [`/** ${sentence} */`];
  return [
    '/**',
    ` * ${sentence}`,
    ' *',
    ...params.map((name) => ` * @param ${name} ${about(name)}`),
    ' */',
  ];
};

const byLine =
  (mark: string, param: (name: string) => string): CommentStyle =>
  (sentence, { params }) =>
    [sentence, ...params.map(param)].map((line) => `${mark} ${line}`);

const plain = (name: string): string => `- ${name}: ${about(name)}`;

const styles: Readonly<Record<string, CommentStyle>> = {
  ...styled(
    'typescript javascript typescriptreact javascriptreact java kotlin scala php c cpp objective-c groovy',
    block,
  ),
  ...styled(
    'rust dart',
    byLine('///', (name) => `* \`${name}\`: ${about(name)}`),
  ),
  ...styled(
    'swift',
    byLine('///', (name) => `- Parameter ${name}: ${about(name)}`),
  ),
  ...styled('python ruby shellscript r julia powershell elixir', byLine('#', plain)),
  ...styled(
    'lua',
    byLine('---', (name) => `@param ${name} any ${about(name)}`),
  ),
  ...styled('sql haskell', byLine('--', plain)),
  go: (sentence, definition) => byLine('//', plain)(`${definition.name}: ${sentence}`, definition),
  csharp: (sentence, { params }) => [
    `/// <summary>${sentence}</summary>`,
    ...params.map((name) => `/// <param name="${name}">${about(name)}</param>`),
  ],
};

function styled(languages: string, style: CommentStyle): Readonly<Record<string, CommentStyle>> {
  return Object.fromEntries(languages.split(' ').map((language) => [language, style]));
}

function about(name: string): string {
  return `The ${wordsOf(name)}.`;
}

/** The piece with a comment above each function and class that has none. */
export function documentPiece(request: EditRequest): string {
  const { piece, language, before } = request;
  const style = Object.hasOwn(styles, language) ? styles[language] : undefined;
  if (style === undefined) return piece;
  const lines = piece.split('\n');
  const end = lines.some((line) => line.endsWith('\r')) ? '\r' : '';
  const front = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const definitions = findDefinitions(request);
  for (const definition of definitions.toReversed()) {
    const firstLine = firstLineOf(lines, definition.line);
    if (isDocumented([...front, ...lines], front.length + firstLine, language)) continue;
    const sentence = sentenceOf(definition);
    const docstring = language === 'python' && docstringOf(definition, sentence, lines);
    if (docstring === 'present') continue;
    const at = docstring ? definition.lastLine + 1 : firstLine;
    const comment = docstring || indented(style(sentence, definition), lines[firstLine] ?? '');
    lines.splice(at, 0, ...comment.map((line) => line + end));
  }
  return lines.join('\n');
}

function indented(comment: readonly string[], line: string): readonly string[] {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return comment.map((text) => indent + text);
}

/** The first line of a definition with its decorators and annotations. */
function firstLineOf(lines: readonly string[], line: number): number {
  let first = line;
  while (
    first > 0 &&
    /^\s*(?:@[\w.]+(?:\([^()]*\))?|#\[[^[\]]*\]|\[\w[^[\]]*\])\s*$/.test(lines[first - 1] ?? '')
  ) {
    first--;
  }
  return first;
}

/** Whether a comment, or the first part of a continued line, is directly above. */
function isDocumented(lines: readonly string[], line: number, language: string): boolean {
  const above = (lines[line - 1] ?? '').trimEnd();
  if (above === '') return false;
  const { line: marks = [], block: blocks = [] } = lexiconOf(language) ?? {};
  const isComment = marks.some((mark) => above.trimStart().startsWith(mark));
  return isComment || blocks.some(([, mark]) => above.endsWith(mark)) || /[\\`^]$/.test(above);
}

/** The documentation string of a Python function; undefined if it cannot be inserted. */
function docstringOf(
  { line, lastLine, params, header }: Definition,
  sentence: string,
  lines: readonly string[],
): readonly string[] | 'present' | undefined {
  const next = lines.slice(lastLine + 1).find((text) => text.trim() !== '') ?? '';
  if (/^\s*[rRuUbBfF]{0,2}(?:"|')/.test(next)) return 'present';
  const indent = /^[ \t]*/.exec(next)?.[0] ?? '';
  const outer = /^[ \t]*/.exec(lines[line] ?? '')?.[0] ?? '';
  const endsWithColon = /:\s*$/.test(header) && scanCode(lines[lastLine] ?? '', 'python').isWhole;
  if (!endsWithColon || !indent.startsWith(outer) || indent.length <= outer.length)
    return undefined;
  if ((lines[lastLine + 1] ?? '').trim() === '') return undefined;
  const marks = '"""';
  if (params.length === 0) return [`${indent}${marks}${sentence}${marks}`];
  const rows = params.map((name) => `${indent}    ${name}: ${about(name)}`);
  return [`${indent}${marks}${sentence}`, '', `${indent}Args:`, ...rows, `${indent}${marks}`];
}

const verbs =
  /^(?:add|create|remove|find|read|write|parse|format|compute|load|save|update|delete|check|convert|make|build|print|send|start|stop|open|close|sort|filter|count|render|handle|run|fetch|calculate|validate|show|hide|merge|split|log|reset|select|insert|get|set|return)$/;

/** A sentence made of the words of the name. */
function sentenceOf({ kind, name, params }: Definition): string {
  const words = wordsOf(name.split(/[.:]/).at(-1) ?? name);
  const [first = '', ...others] = words.split(' ');
  const object = others.join(' ');
  const conversion = /^(\S.*) to (\S.*)$/.exec(words);
  if (kind === 'class') return capital(`${words}.`);
  if (conversion !== null) return `Converts ${conversion[1] ?? ''} to ${conversion[2] ?? ''}.`;
  if (/^(?:is|has|can|should)$/.test(first) && object !== '') return `Tells whether it ${words}.`;
  if (first === 'to' && object !== '') return `Converts to ${object}.`;
  const [param] = params;
  const last = /^(?:of|by|for|from|in|with)$/.test(others.at(-1) ?? '') && param !== undefined;
  const target = last ? `${object} the ${wordsOf(param)}` : object;
  if (verbs.test(first)) {
    const verb = first.replace(/y$/, 'ie').replace(/(?:ch|s|sh)$/, '$&e');
    return capital(`${verb}s ${target === '' ? '' : `the ${target}`}`.trim() + '.');
  }
  return capital(`${first} ${target}`.trim() + '.');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
