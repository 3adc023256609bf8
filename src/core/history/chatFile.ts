/** The JSON file of an exported chat: everything but secrets and grants. */
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
} from '../conversation/record.ts';
import { endInterrupted } from '../conversation/reduce.ts';
import { addUsage, zeroUsage, type Usage } from '../conversation/usage.ts';
import { bytesOfBase64, maxImageBytes } from '../support/image.ts';
import { isObject, parseJson } from '../support/json.ts';
import { oneLine } from '../support/text.ts';

const format = 'aside-chat';
/** Raised when an older Aside could no longer read the file at all. */
const version = 1;

/** The most summaries that a file has: the newest. */
const maxSummaries = 100;

/**
 * Everything of a chat that a file has. Fields that a later version adds are refused by this one,
 * since to leave them out would lose something without a word.
 */
const chatFile = z.object({
  format: z.literal(format),
  version: z.literal(version),
  title: z.optional(z.string().check(z.maxLength(1000))),
  pinned: z.optional(z.boolean()),
  options: storedOptions,
  /** A list, so that what a person left out is masked like any text. */
  partChoices: z.optional(storedPartChoices),
  /** By model, of the whole chat. */
  usage: z.record(z.string(), storedUsage),
  /** Those of the chosen path, oldest first. */
  turns: z.array(storedTurn),
  others: z.optional(storedPaths),
  /** Images of messages in base64, by their hashes. */
  images: z.optional(z.record(z.string(), z.string())),
  summaries: z.optional(z.array(storedSummary).check(z.maxLength(maxSummaries))),
});

/** The content of the file of a chat. */
export type ChatFile = z.infer<typeof chatFile>;

/**
 * The content of the file for a chat; a turn that is running is as if it was interrupted now.
 * @param mask removes secrets from a text
 */
export function chatFileOf(conversation: Conversation, mask: (text: string) => string): ChatFile {
  const ended = endInterrupted(conversation);
  const { title, pinned, options, turns, others } = ended;
  const summaries = ended.summaries?.slice(-maxSummaries);
  const partChoices =
    ended.partChoices &&
    Object.entries(ended.partChoices).map(([part, choice]) => ({ part, choice }));
  const usage = totalUsage(ended);
  const ofChat = { title, pinned, options, partChoices, usage };
  const given = { format, version, ...ofChat, turns, others, summaries };
  const masked = JSON.stringify(given, (_, value: unknown) =>
    typeof value === 'string' ? mask(value) : value,
  );
  return chatFile.parse(parseJson(masked));
}

/** The text of the file. */
export function writeChatFile(file: ChatFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function totalUsage({ usage, demoUsage, importedUsage }: Conversation): Record<string, Usage> {
  const sums: Record<string, Usage> = {};
  for (const part of [usage, demoUsage ?? {}, importedUsage ?? {}]) {
    for (const [model, used] of Object.entries(part)) {
      sums[model] = addUsage(sums[model] ?? zeroUsage, used);
    }
  }
  return sums;
}

/** What keeps a file from being imported. */
export interface ChatFileProblem {
  readonly problem: 'size' | 'format' | 'version' | 'content';
  /** For `content`: the field, for example `turns.3.status`. */
  readonly place?: string;
}

/** Characters of the place of what does not fit: the file may have named it. */
const maxPlace = 200;

/** Characters of the images of a file: all of it must be one that can be imported. */
export const maxFileImages = 24_000_000;

/** Characters of a file, and objects and lists in it; what is nested more deeply is no chat. */
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
  const place = data === undefined ? pathOf(error.issues[0]?.path) : differenceIn(value, data);
  return data === undefined || place !== undefined
    ? { problem: 'content', ...(place === undefined ? {} : { place }) }
    : data;
}

/** The images that the messages of a file name, each once. */
export function imagesOfFile({ turns, others = [] }: ChatFile): readonly AttachedImage[] {
  const all = [...turns, ...others.flatMap(({ paths }) => paths.flat())];
  const found = imagesIn(all.map(({ question }) => question));
  return [...new Map(found.map((image) => [image.hash, image])).values()];
}

/** An image of a file that was imported, with its bytes. */
export interface ImportedImage {
  readonly image: AttachedImage;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The images of a file that are what its messages say of them (threats: T47). Others are left out, so
 * that their messages say that they are missing.
 */
export async function readImages(file: ChatFile): Promise<readonly ImportedImage[]> {
  const read: ImportedImage[] = [];
  for (const image of imagesOfFile(file)) {
    const text = file.images?.[image.hash] ?? '';
    const bytes = text.length <= maxBase64 ? bytesOfBase64(text) : undefined;
    const found = bytes && (await attachedImageOf(bytes));
    if (bytes === undefined || found === undefined) continue;
    if (JSON.stringify(sorted(found)) === JSON.stringify(sorted(image)))
      read.push({ image, bytes });
  }
  return read;
}

/** Characters of the largest image in base64. */
const maxBase64 = Math.ceil(maxImageBytes / 3) * 4;

function sorted(image: AttachedImage): readonly unknown[] {
  const { type, width, height, size, hash } = image;
  return [type, width, height, size, hash];
}

function pathOf(path: readonly PropertyKey[] = []): string {
  return oneLine(path.map(String).join('.'), maxPlace);
}

/** Where a value says more than the schema has read, or has a number that no chat has. */
function differenceIn(given: unknown, read: unknown, path = ''): string | undefined {
  if (isObject(given) && isObject(read)) {
    for (const [key, value] of Object.entries(given)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (!Object.hasOwn(read, key)) return oneLine(place, maxPlace);
      const found = differenceIn(value, read[key], place);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(given) && Array.isArray(read))
    return differenceIn(Object.assign({}, given), Object.assign({}, read), path);
  const isSame = typeof given === 'number' ? isCount(given) && given === read : given === read;
  return isSame ? undefined : path;
}

function isCount(number: number): boolean {
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER;
}

/** Whether a text has a size that can be parsed: each object takes many times its two brackets. */
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
