import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { journalOf } from '../support/cutJournal.ts';

/** A word that one in five hundred chats contains. */
export const rareWord = 'psychrometer';

const words =
  'the station reads its value every minute and compares with limit of neighbours where sensor north south report function return const await number string path needs check service table under answer'.split(
    ' ',
  );

/** Writes chats of five turns and 20 KB each. Resolves with their total bytes. */
export async function writeChats(folder: string, count: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const next = numbers();
  let bytes = 0;
  for (let chat = 0; chat < count; chat++) {
    const events = Array.from({ length: 5 }, (_, turn) => eventsOf(chat, turn, next)).flat();
    const text = journalOf(`chat-${chat}`, events, `file:///work/${chat % 20}`);
    bytes += Buffer.byteLength(text);
    await writeFile(join(folder, `chat-${chat}.jsonl`), text);
  }
  return bytes;
}

/** A repeatable generator of integers from 0 up to `below`. */
function numbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function eventsOf(
  chat: number,
  turn: number,
  next: (below: number) => number,
): readonly ConversationEvent[] {
  const at = Date.UTC(2026, 0, 1) + chat * 60_000 + turn;
  const question = { text: `Question ${chat}: ${prose(next, 12)}`, attachments: [] };
  const reply = [prose(next, 250), ...wordsOf(chat, turn), prose(next, 250)].join(' ');
  const pieces = reply.match(/[^]{1,350}/g) ?? [];
  return [
    { type: 'turn-start', id: `turn-${turn}`, question, model: 'demo/m', json: false, at },
    ...pieces.flatMap(cutWord).map((text) => ({ type: 'text-delta', text, at }) as const),
    { type: 'turn-end', status: 'finished', finishReason: 'stop', at },
  ];
}

function wordsOf(chat: number, turn: number): readonly string[] {
  if (turn !== 2) return [];
  return [...(chat % 500 === 250 ? [rareWord] : []), ...(chat === 999 ? ['hygrograph'] : [])];
}

/** Splits `hygrograph` across two pieces. */
function cutWord(piece: string): readonly string[] {
  const at = piece.indexOf('hygrograph');
  return at < 0 ? [piece] : [piece.slice(0, at + 5), piece.slice(at + 5)];
}

function prose(next: (below: number) => number, count: number): string {
  const pick = (): string => words[next(words.length)] ?? '';
  return Array.from({ length: count }, pick).join(' ');
}
