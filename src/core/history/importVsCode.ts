/** VS Code's own chats: files of **Chat: Export Chat…**, and files in `chatSessions`. */
import * as z from 'zod/mini';
import { isObject, parseJson } from '../support/json.ts';
import { fencedCode } from '../support/text.ts';
import { joinTexts, type ImportedChat, type ImportedMessage } from './importedChat.ts';

const markdown = z.union([z.string(), z.looseObject({ value: z.string() })]);
const location = z.looseObject({ path: z.optional(z.string()) });
const responsePart = z.looseObject({
  kind: z.optional(z.string()),
  value: z.optional(z.unknown()),
  content: z.optional(z.unknown()),
  name: z.optional(z.unknown()),
  inlineReference: z.optional(z.unknown()),
  invocationMessage: z.optional(z.unknown()),
  pastTenseMessage: z.optional(z.unknown()),
  uri: z.optional(z.unknown()),
  edits: z.optional(z.unknown()),
});
const request = z.looseObject({
  message: z.union([z.string(), z.looseObject({ text: z.optional(z.string()) })]),
  response: z.optional(z.nullable(z.array(responsePart))),
  timestamp: z.optional(z.number()),
  modelId: z.optional(z.string()),
});
const session = z.looseObject({
  customTitle: z.optional(z.string()),
  requests: z.array(request),
});

/** Undefined if the value is no chat of VS Code. */
export function importVsCode(value: unknown): ImportedChat | undefined {
  const { data } = session.safeParse(value);
  return data && { title: data.customTitle, messages: data.requests.flatMap(messagesOf) };
}

function messagesOf({
  message,
  response,
  timestamp: at,
  modelId: model,
}: z.infer<typeof request>): readonly ImportedMessage[] {
  const text = typeof message === 'string' ? message : (message.text ?? '');
  return [
    { role: 'user', text, at },
    { role: 'assistant', text: replyText(response ?? []), at, model },
  ];
}

/** Text is in pieces that follow each other; calls and edits stand alone. */
function replyText(parts: readonly z.infer<typeof responsePart>[]): string {
  const texts = [''];
  const addWords = (words: string): void => {
    texts[texts.length - 1] = (texts.at(-1) ?? '') + words;
  };
  for (const part of parts) {
    switch (part.kind) {
      case undefined:
      case 'markdownContent':
      case 'markdownVuln':
        addWords(plain(part.content) || plain(part.value) || plain(part));
        break;
      case 'inlineReference':
        addWords(`\`${nameOf(part)}\``);
        break;
      case 'toolInvocation':
      case 'toolInvocationSerialized': {
        const call = plain(part.pastTenseMessage) || plain(part.invocationMessage);
        texts.push(call === '' ? '' : `> ${call.replaceAll('\n', '\n> ')}`, '');
        break;
      }
      case 'textEditGroup':
        texts.push(editText(part), '');
        break;
    }
  }
  return joinTexts(texts);
}

/** The text of Markdown, which is a string or an object. */
function plain(value: unknown): string {
  const { data } = markdown.safeParse(value);
  return typeof data === 'string' ? data : (data?.value ?? '');
}

function nameOf({ name, inlineReference: reference }: z.infer<typeof responsePart>): string {
  if (typeof name === 'string' && name !== '') return name;
  const inner = isObject(reference) ? (reference['uri'] ?? reference) : undefined;
  return fileName(inner);
}

function fileName(uri: unknown): string {
  const { path = '' } = location.safeParse(uri).data ?? {};
  return path.slice(path.lastIndexOf('/') + 1);
}

const textEdits = z.array(z.array(z.looseObject({ text: z.string() })));

function editText({ uri, edits }: z.infer<typeof responsePart>): string {
  const written = (textEdits.safeParse(edits).data ?? []).flat().map(({ text }) => text);
  const code = written.join('\n');
  return code.trim() === '' ? '' : `\`${fileName(uri)}\`:\n\n${fencedCode(code)}`;
}

const logEntry = z.looseObject({
  kind: z.number(),
  k: z.optional(z.array(z.union([z.string(), z.number()]))),
  v: z.optional(z.unknown()),
  i: z.optional(z.number()),
});

/** Names that reach the prototype of an object. */
const forbidden: readonly unknown[] = ['__proto__', 'constructor', 'prototype'];

/**
 * The session of a `.jsonl` file: its first line contains the session, and each further line
 * changes a part of it. Undefined if a line is damaged: later changes would be misplaced.
 */
export function readSessionLog(text: string): unknown {
  const root: Record<string, unknown> = {};
  for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
    const { data: entry } = logEntry.safeParse(parseJson(line));
    if (entry === undefined || !applyEntry(root, entry)) return undefined;
  }
  return root['session'];
}

const kinds = { whole: 0, set: 1, push: 2, delete: 3 } as const;

/** @returns false if the entry can't be applied */
function applyEntry(root: Record<string, unknown>, entry: z.infer<typeof logEntry>): boolean {
  const { kind, k: path = [], v: value, i: length } = entry;
  if (kind === kinds.whole) {
    root['session'] = value;
    return true;
  }
  if (path.length === 0 || path.some((key) => forbidden.includes(key))) return false;
  const parent = path.slice(0, -1).reduce(childOf, root['session']);
  const key = path.at(-1) ?? '';
  switch (kind) {
    case kinds.set:
      return setChild(parent, key, value);
    case kinds.push: {
      const list = childOf(parent, key);
      if (!Array.isArray(list)) return false;
      if (length !== undefined) list.length = Math.min(list.length, Math.max(0, length));
      if (Array.isArray(value)) for (const added of value) list.push(added);
      return true;
    }
    case kinds.delete:
      return setChild(parent, key, undefined);
    default:
      return false;
  }
}

function childOf(parent: unknown, key: string | number): unknown {
  if (Array.isArray(parent)) return typeof key === 'number' ? parent[key] : undefined;
  return isObject(parent) ? parent[key] : undefined;
}

function setChild(parent: unknown, key: string | number, value: unknown): boolean {
  if (Array.isArray(parent) && typeof key === 'number' && key >= 0 && key <= parent.length) {
    parent[key] = value;
    return true;
  }
  return isObject(parent) && !Array.isArray(parent) && Reflect.set(parent, key, value);
}
