/**
 * The JSON file of an exported chat: its whole content except secrets, grants and traces, and
 * reasoning only if the person wants it.
 */
import * as z from 'zod/mini';
import { attachedImageOf, imagesIn } from '../conversation/attachedImage.ts';
import type { AttachedImage, Conversation } from '../conversation/conversation.ts';
import {
  storedOptions,
  storedPartChoices,
  storedPaths,
  storedSummary,
  storedTurn,
  storedUsage,
} from '../conversation/conversationSchema.ts';
import { endInterrupted } from '../conversation/reduce.ts';
import { addUsage, zeroUsage, type Usage } from '../conversation/usage.ts';
import { bytesOfBase64, maxImageBytes } from '../support/image.ts';
import { isObject, parseJson } from '../support/json.ts';
import { oneLine } from '../support/text.ts';

const format = 'aside-chat';
/** Increased when an older Aside can no longer read the file at all. */
const version = 1;

/** Maximum number of summaries in a file, counted from the newest. */
const maxSummaries = 100;

/**
 * The fields of a file. Fields that a later version adds are refused by this one, since omitting
 * them would lose data silently.
 */
const chatFile = z.object({
  format: z.literal(format),
  version: z.literal(version),
  title: z.optional(z.string().check(z.maxLength(1000))),
  pinned: z.optional(z.boolean()),
  options: storedOptions,
  /** A list, so that the keys of excluded parts are masked like any text. */
  partChoices: z.optional(storedPartChoices),
  usage: z.record(z.string(), storedUsage),
  /** Turns of the chosen path, oldest first. */
  turns: z.array(storedTurn),
  others: z.optional(storedPaths),
  /** Images of messages in base64, by their hashes. */
  images: z.optional(z.record(z.string(), z.string())),
  summaries: z.optional(z.array(storedSummary).check(z.maxLength(maxSummaries))),
});

export type ChatFile = z.infer<typeof chatFile>;

/**
 * The content of the file for a chat. A running turn is written as if it was interrupted now.
 * @param mask removes secrets from a text
 * @param more the reasoning of replies, and the traces of calls, which no exported file has
 */
export function chatFileOf(
  conversation: Conversation,
  mask: (text: string) => string,
  more: { readonly reasoning?: boolean; readonly traces?: boolean } = {},
): ChatFile {
  const ended = endInterrupted(conversation);
  const { title, pinned, options, turns, others } = ended;
  const summaries = ended.summaries?.slice(-maxSummaries);
  const partChoices =
    ended.partChoices &&
    Object.entries(ended.partChoices).map(([part, choice]) => ({ part, choice }));
  const usage = totalUsage(ended, mask);
  const ofChat = { title, pinned, options, partChoices, usage };
  const content = { format, version, ...ofChat, turns, others, summaries };
  const masked = JSON.stringify(content, (name, value: unknown) => {
    if (name === 'trace' && more.traces !== true) return undefined;
    if (name === 'leftRunning') return undefined;
    // Earlier versions refuse a file with fields that they don't know.
    if (name === 'imported' && value === true && more.traces !== true) return undefined;
    if (name === 'parts' && Array.isArray(value) && more.reasoning !== true) {
      const parts: readonly unknown[] = value;
      return parts.filter((part) => !isObject(part) || part['type'] !== 'reasoning');
    }
    return typeof value === 'string' ? mask(value) : value;
  });
  return chatFile.parse(parseJson(masked));
}

/** The text of the file. */
export function writeChatFile(file: ChatFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** The usage by models, whose ids are masked like any text: a person may have pasted a key as one. */
function totalUsage(
  { usage, demoUsage, importedUsage }: Conversation,
  mask: (text: string) => string,
): Record<string, Usage> {
  const sums: Record<string, Usage> = {};
  for (const part of [usage, demoUsage ?? {}, importedUsage ?? {}]) {
    for (const [id, used] of Object.entries(part)) {
      const model = mask(id);
      sums[model] = addUsage(sums[model] ?? zeroUsage, used);
    }
  }
  return sums;
}

/** Reason why a file cannot be imported. */
export interface ChatFileProblem {
  readonly problem: 'size' | 'format' | 'version' | 'content';
  /** Path of the invalid field if the problem is `content`, for example `turns.3.status`. */
  readonly field?: string;
}

/** Maximum number of characters in the path to an invalid field, which the file determines. */
const maxPlace = 200;

/** Maximum number of characters of the images of a file, so that the whole file can be imported. */
export const maxFileImages = 24_000_000;

/** Maximum number of characters, of objects and lists, and of their nesting in a file. */
export const maxChatFile = 32_000_000;
const maxObjects = 500_000;
const maxDepth = 12;

/** The content of a file, which anybody may have written (threats: T47). */
export function readChatFile(text: string): ChatFile | ChatFileProblem {
  if (!isBounded(text)) return { problem: 'size' };
  const value = parseJson(text.replace(/^\u{feff}/u, ''));
  if (!isObject(value) || value['format'] !== format) return { problem: 'format' };
  if (typeof value['version'] === 'number' && value['version'] > version)
    return { problem: 'version' };
  const { data, error } = chatFile.safeParse(value);
  const path =
    data === undefined
      ? oneLine((error.issues[0]?.path ?? []).map(String).join('.'), maxPlace)
      : differenceIn(value, data);
  return data === undefined || path !== undefined
    ? { problem: 'content', ...(path === undefined ? {} : { field: path }) }
    : data;
}

/** The images of all messages in a file, each once. */
export function imagesOfFile({ turns, others = [] }: ChatFile): readonly AttachedImage[] {
  const all = [...turns, ...others.flatMap(({ paths }) => paths.flat())];
  const images = imagesIn(all.map(({ question }) => question));
  return [...new Map(images.map((image) => [image.hash, image])).values()];
}

/** An image of a file that was imported, with its bytes. */
export interface ImportedImage {
  readonly image: AttachedImage;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The images of a file that match their descriptions in its messages (threats: T47). Others are
 * omitted, and their messages show that they are missing.
 */
export async function readImages(file: ChatFile): Promise<readonly ImportedImage[]> {
  const read: ImportedImage[] = [];
  for (const image of imagesOfFile(file)) {
    const text = file.images?.[image.hash] ?? '';
    const bytes = text.length <= maxBase64 ? bytesOfBase64(text) : undefined;
    const actual = bytes && (await attachedImageOf(bytes));
    if (bytes === undefined || actual === undefined) continue;
    if (JSON.stringify(sorted(actual)) === JSON.stringify(sorted(image)))
      read.push({ image, bytes });
  }
  return read;
}

/** Maximum number of characters of an image in base64. */
const maxBase64 = Math.ceil(maxImageBytes / 3) * 4;

function sorted(image: AttachedImage): readonly unknown[] {
  const { type, width, height, size, hash } = image;
  return [type, width, height, size, hash];
}

/** The first field that the schema did not read, or with a number that no chat has. */
function differenceIn(source: unknown, read: unknown, path = ''): string | undefined {
  if (isObject(source) && isObject(read)) {
    for (const [key, value] of Object.entries(source)) {
      const field = path === '' ? key : `${path}.${key}`;
      if (!Object.hasOwn(read, key)) return oneLine(field, maxPlace);
      const difference = differenceIn(value, read[key], field);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (Array.isArray(source) && Array.isArray(read))
    return differenceIn(Object.assign({}, source), Object.assign({}, read), path);
  const isSame =
    typeof source === 'number'
      ? source >= 0 && source <= Number.MAX_SAFE_INTEGER && source === read
      : source === read;
  return isSame ? undefined : path;
}

/** True if a text is small enough to be parsed: each object takes many times its two brackets. */
function isBounded(text: string): boolean {
  if (text.length > maxChatFile) return false;
  let objects = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '{' || character === '[') {
      objects += 1;
      depth += 1;
    } else if (character === '}' || character === ']') depth -= 1;
    if (objects > maxObjects || depth > maxDepth) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
