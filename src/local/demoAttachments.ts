import type { ImageHeader } from '../core/support/image.ts';
import type { ScriptedReply } from './scriptedReply.ts';

/** Code in a message: a fenced block below a line such as `src/app.ts, lines 3-9:`. */
interface AttachedCode {
  /** The label as written in the message, without the line range. */
  readonly path: string;
  /** For example `3-9`; empty if the label has none. */
  readonly lines: string;
  /** The word after the fence, for example `ts`. */
  readonly language: string;
  readonly code: string;
}

/** A user message, split into text and attached code. */
export interface ParsedMessage {
  /** The text outside the fenced blocks; at most the first 4,000 characters. */
  readonly question: string;
  readonly attachments: readonly AttachedCode[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;

/** Parses a message. An unterminated block extends to the end. */
export function parseMessage(text: string): ParsedMessage {
  const lines = text.split(/\r?\n/);
  const question: string[] = [];
  const attachments: AttachedCode[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, marks, language = ''] = fence.exec(lines[index] ?? '') ?? [];
    if (marks === undefined) {
      question.push(lines[index] ?? '');
      continue;
    }
    const end = endOfBlock(lines, index + 1, marks);
    attachments.push({
      ...takeLabel(question),
      language,
      code: lines.slice(index + 1, end).join('\n'),
    });
    index = end;
  }
  return { question: question.join('\n').trim().slice(0, 4000), attachments };
}

function endOfBlock(lines: readonly string[], start: number, marks: string): number {
  const end = lines.findIndex((line, at) => at >= start && line.trimEnd() === marks);
  return end < 0 ? lines.length : end;
}

/** A path, lines, and a remark in parentheses. */
const label =
  /^(.{1,300}?)`?(?:,? \(?lines? (\d+)(?: {0,3}[-–] {0,3}(\d+))?\)?)?(?: \([^()]{0,100}\))?$/;

/** A label without its colon, and without the signs of a heading or of code. */
function withoutFormat(line: string): string {
  return line
    .replace(/^[#>*\s`]+/, '')
    .replace(/(?<![`*\s])[`*\s]+$/, '')
    .replace(/:$/, '')
    .replace(/(?<![`*])[`*]+$/, '');
}

/** Removes the label before a block from the text, and returns it. */
function takeLabel(question: string[]): { path: string; lines: string } {
  const at = question.findLastIndex((line) => line.trim() !== '');
  const line = question[at] ?? '';
  const [, path = '', from, to = from] = label.exec(withoutFormat(line)) ?? [];
  if (path === '' || !(/[/.\\]/.test(path) || line.trimEnd().endsWith(':')))
    return { path: 'the attached code', lines: '' };
  question.splice(at);
  return { path, lines: from === undefined ? '' : from === to ? from : `${from}-${to ?? from}` };
}

/** Describes attached code without understanding it: language, length and names. */
export function describeAttachments({ question, attachments }: ParsedMessage): ScriptedReply {
  const parts = attachments.map(describe);
  const about = question === '' ? '' : `You wrote: “${firstLine(question)}”\n\n`;
  const [first] = attachments.flatMap((attachment) => findNames(attachment.code));
  const next =
    first === undefined
      ? ''
      : `\n\nA good place to start reading is the ${first.kind} \`${first.name}\`.`;
  return {
    content: `${about}${parts.join('\n\n')}${next}\n\n${demoDisclaimer}`,
  };
}

/** States format and size of images, the only properties that are read. */
export function describeImages(images: readonly ImageHeader[]): ScriptedReply {
  const seen = images.map(
    ({ type, width, height }) =>
      `- ${type.slice('image/'.length).toUpperCase()}, ${width} × ${height} pixels`,
  );
  return {
    content: `I see ${plural(images.length, 'image')}:\n\n${seen.join('\n')}\n\n${demoDisclaimer}`,
  };
}

/** Says that the reply is scripted. */
export const demoDisclaimer =
  '*I’m Aside’s scripted demo, not a language model. I can count lines and find names, but I can’t ' +
  'understand code. Connect a service to get a real reply.*';

function describe(attachment: AttachedCode): string {
  const { path, lines, code } = attachment;
  const range = lines === '' ? '' : ` (lines ${lines})`;
  const head = `**${path}**${range} is ${languageName(attachment)}, ${plural(countLines(code), 'line')} long`;
  const names = findNames(code);
  if (names.length === 0) return `${head}. I found no functions or classes in it.`;
  const before = Number(/^\d+/.exec(lines)?.[0] ?? 1) - 1;
  const items = names.slice(0, 12).map((name) => `- ${describeName(name, before)}`);
  const more = names.length - items.length;
  return `${head} and defines:\n\n${items.join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`;
}

/** `before` is the number of lines of the file before the attached ones. */
function describeName({ kind, name, line }: FoundName, before: number): string {
  return `the ${kind} \`${name}\`, on line ${before + line}`;
}

/** Number of lines of a piece of code. */
export function countLines(code: string): number {
  return code === '' ? 0 : code.replace(/\n$/, '').split('\n').length;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

/** A function, class or similar that the code defines. */
interface FoundName {
  readonly kind: string;
  readonly name: string;
  /** Line within the code, counted from 1. */
  readonly line: number;
}

const definition =
  /(?:^|\s)(function\*?|class|interface|struct|enum|trait|def|fn|func|type|module)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_$][\w$]*)/;
const arrow =
  /(?:^|\s)(?:const|let|var)\s+([A-Za-z_$][\w$]*)[^=]{0,80}=\s*(?:async\s*)?(?:function\b|\w+\s*=>|\([^()]{0,200}\)[^=]{0,80}=>)/;
const comment = /^\s*(?:\/\/|#|\*|\/\*|--)/;

/** The names that the code defines, in order, detected by patterns for common languages. */
export function findNames(code: string): readonly FoundName[] {
  const lines = code.split('\n', 5000);
  return lines.flatMap((text, index) => nameIn(text.slice(0, 400), index + 1));
}

function nameIn(text: string, line: number): readonly FoundName[] {
  if (comment.test(text)) return [];
  const [, word, name] = definition.exec(text) ?? [];
  if (word !== undefined && name !== undefined) return [{ kind: kindOf(word), name, line }];
  const assigned = arrow.exec(text)?.[1];
  return assigned === undefined ? [] : [{ kind: 'function', name: assigned, line }];
}

function kindOf(word: string): string {
  return /^(?:function|def|fn|func)/.test(word) ? 'function' : word;
}

const languages: Readonly<Record<string, string>> = {
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  js: 'JavaScript',
  jsx: 'JavaScript',
  json: 'JSON',
  kt: 'Kotlin',
  md: 'Markdown',
  php: 'PHP',
  py: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  sh: 'Shell',
  sql: 'SQL',
  swift: 'Swift',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  yaml: 'YAML',
  yml: 'YAML',
};

/** Name of the language, by the word after the fence, otherwise by the file extension. */
export function languageName({ language, path }: { language: string; path: string }): string {
  const id = language.toLowerCase();
  const known = Object.values(languages).find((name) => name.toLowerCase() === id);
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return known ?? languages[id] ?? (id === '' ? (languages[ending] ?? 'text') : language);
}
