import type { Reply } from '../reply.ts';
import type { Attachment, ReadMessage } from './attachments.ts';
import { findNames, languageOf, type FoundName } from './codeFacts.ts';

/** What can be said about attached code without understanding it: language, length and names. */
export function describeAttachments({ question, attachments }: ReadMessage): Reply {
  const parts = attachments.map(describe);
  const about = question === '' ? '' : `You asked about it: “${firstLine(question)}”\n\n`;
  const [first] = attachments.flatMap((attachment) => findNames(attachment.code));
  const next =
    first === undefined
      ? ''
      : `\n\nA good place to start reading is the ${first.kind} \`${first.name}\`.`;
  return {
    content: `${about}${parts.join('\n\n')}${next}\n\n${honest}`,
  };
}

export const honest =
  '*I am the scripted demo of Aside and no language model: I can count and find names, but not ' +
  'understand code. Connect a service to get a real answer.*';

function describe(attachment: Attachment): string {
  const { path, lines, code } = attachment;
  const range = lines === '' ? '' : ` (lines ${lines})`;
  const head = `**${path}**${range} is ${languageOf(attachment)}, ${plural(countLines(code), 'line')} long`;
  const names = findNames(code);
  if (names.length === 0) return `${head}. I found no function or class in it.`;
  const before = Number(/^\d+/.exec(lines)?.[0] ?? 1) - 1;
  const shown = names.slice(0, 12).map((name) => `- ${sayName(name, before)}`);
  const more = names.length - shown.length;
  return `${head} and defines:\n\n${shown.join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`;
}

/** `before` is how many lines of the file come before the attached ones. */
function sayName({ kind, name, line }: FoundName, before: number): string {
  return `the ${kind} \`${name}\`, in line ${before + line}`;
}

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
