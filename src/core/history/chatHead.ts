import * as z from 'zod/mini';
import type { ConversationEvent } from '../conversation/events.ts';
import { readJournal } from '../conversation/journalReader.ts';
import { pathOf } from '../conversation/paths.ts';
import { readEvent, readHeader } from '../conversation/record.ts';
import { parseJson } from '../support/json.ts';
import { cleanTitle, titleOfMessage } from './chatTitle.ts';

/** An entry of the list of chats. Derived from the journal, which is the source of truth. */
export interface ChatHead {
  readonly id: string;
  /** The name given by the person, otherwise the first line of the first message, otherwise empty. */
  readonly title: string;
  /** The model of the newest message; empty if it cannot be read. */
  readonly model: string;
  /** The URI of the workspace in which the chat was started; empty if there was none. */
  readonly workspace: string;
  /** Time when the newest message was sent, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** True if the person pinned it to the top. */
  readonly pinned: boolean;
}

/** Start of every event in a line. Within a text, its quotes would be escaped. */
const eventStart = '"event":{"type":"';

interface SentMessage {
  readonly id: string;
  readonly title: string;
  readonly model: string;
  readonly at: number;
}

/** The fields of a turn that are needed for its message. */
interface SentTurn extends Omit<SentMessage, 'title'> {
  readonly question: {
    readonly text: string;
    readonly attachments: readonly { readonly name: string }[];
  };
}

/** A turn of a chat that was read from a file. */
const turnImport = z.object({
  event: z.object({
    type: z.literal('turn-import'),
    turn: z.object({
      id: z.string(),
      question: z.object({
        text: z.string(),
        attachments: z.array(z.object({ name: z.string() })),
      }),
      model: z.string(),
      startedAt: z.number(),
    }),
  }),
});

/**
 * Reads the head of a chat from its journal; undefined for a journal without a message or a reply.
 * Only the few lines that a head needs are parsed.
 */
export function readHead(id: string, journal: string): ChatHead | undefined {
  const header = readHeader(journal.slice(0, lineEndAfter(journal, 0)));
  const messages = sentMessages(id, journal);
  const newest = messages.at(-1);
  if (newest === undefined && !journal.includes(`${eventStart}text-delta`)) return undefined;
  const named = lastChange(journal, 'title-change');
  const given = named?.type === 'title-change' ? named.title : '';
  const pin = lastChange(journal, 'pin-change');
  return {
    id,
    title: cleanTitle(given) || (messages[0]?.title ?? ''),
    model: newest?.model ?? '',
    workspace: header?.workspace ?? '',
    at: newest?.at ?? header?.at ?? 0,
    pinned: pin?.type === 'pin-change' && pin.pinned,
  };
}

function sentMessages(id: string, journal: string): readonly SentMessage[] {
  if (!journal.includes(`${eventStart}version-select`)) return newestMessages(journal);
  const { conversation } = readJournal(id, journal);
  return pathOf(conversation).map((turn) => messageOf({ ...turn, at: turn.startedAt }));
}

/** The messages of the newest path, which in most chats is the chosen one. */
function newestMessages(journal: string): readonly SentMessage[] {
  const messages: SentMessage[] = [];
  // After a failed write, lines are written again.
  for (const line of new Set(linesOf(journal, 'turn-'))) {
    const event = readEvent(line)?.event;
    if (event?.type === 'turn-remove') {
      const index = messages.findLastIndex(({ id }) => id === event.id);
      if (index >= 0) messages.splice(index);
    }
    if (event?.type === 'turn-start') messages.push(messageOf(event));
    if (!line.includes(`${eventStart}turn-import`)) continue;
    const turn = turnImport.safeParse(parseJson(line)).data?.event.turn;
    if (turn !== undefined) messages.push(messageOf({ ...turn, at: turn.startedAt }));
  }
  return messages;
}

function messageOf({ id, question, model, at }: SentTurn): SentMessage {
  return { id, title: titleOfMessage(question), model, at };
}

/** The lines with events whose type has this prefix. */
function* linesOf(journal: string, type: string): Generator<string, void> {
  const mark = `${eventStart}${type}`;
  for (let at = journal.indexOf(mark); at >= 0; at = journal.indexOf(mark, at)) {
    const end = lineEndAfter(journal, at);
    yield journal.slice(journal.lastIndexOf('\n', at) + 1, end);
    at = end;
  }
}

/** The newest undamaged event of this type. */
function lastChange(
  journal: string,
  type: ConversationEvent['type'],
): ConversationEvent | undefined {
  const mark = `${eventStart}${type}"`;
  for (let at = journal.lastIndexOf(mark); at >= 0; at = journal.lastIndexOf(mark, at - 1)) {
    const line = journal.slice(journal.lastIndexOf('\n', at) + 1, lineEndAfter(journal, at));
    const event = readEvent(line)?.event;
    if (event?.type === type) return event;
    if (at === 0) break;
  }
  return undefined;
}

function lineEndAfter(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Sorts pinned chats first, then newest first. */
export function compareHeads(first: ChatHead, second: ChatHead): number {
  if (first.pinned !== second.pinned) return first.pinned ? -1 : 1;
  return second.at - first.at || (first.id < second.id ? -1 : 1);
}
