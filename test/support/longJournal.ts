import type { Conversation } from '../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { readJournal } from '../../src/core/conversation/journalReader.ts';
import { writeEvent, writeHeader } from '../../src/core/conversation/record.ts';

export interface LongJournal {
  readonly conversation: string;
  /** Number of messages and replies together. */
  readonly messages: number;
  /** Approximate length of the journal in characters. */
  readonly length: number;
}

/** A day of 2026, in milliseconds since the Unix epoch. */
const begin = Date.UTC(2026, 0, 1);

/** Journal of a long chat. Each message contains its number, as in `Question 1234.`. */
export function writeLongJournal({ conversation, messages, length }: LongJournal): string {
  const turns = messages / 2;
  const lines = [writeHeader({ conversation, workspace: '', at: begin })];
  let number = 0;
  for (let turn = 1; turn <= turns; turn++)
    for (const event of eventsOf(turn, length / turns)) lines.push(writeEvent(event, ++number));
  return lines.join('');
}

/** Cached, because reading the journal takes longer than most tests of a long chat. */
const conversations = new Map<string, Conversation>();

/** A long chat with turns `turn-1` and so on, each of approximately this length. */
export function longConversation(turns: number, length: number): Conversation {
  const key = `${turns} ${length}`;
  const known = conversations.get(key);
  if (known !== undefined) return known;
  const messages = turns * 2;
  const journal = writeLongJournal({ conversation: 'long', messages, length: turns * length });
  const { conversation } = readJournal('long', journal);
  conversations.set(key, conversation);
  return conversation;
}

/** Journaled events of one turn: text is stored about once a second. */
function eventsOf(turn: number, length: number): ConversationEvent[] {
  const at = begin + turn * 60_000;
  const question = { text: `Question ${turn}. What is there to say about it?`, attachments: [] };
  const text = replyText(turn, length * 0.86);
  const piece = Math.ceil(text.length / 3);
  return [
    { type: 'turn-start', id: `turn-${turn}`, question, model: 'demo/long', json: false, at },
    ...[0, 1, 2].map((index): ConversationEvent => {
      const part = text.slice(index * piece, (index + 1) * piece);
      return { type: 'text-delta', text: part, at: at + index * 1000 };
    }),
    { type: 'usage', usage: usageOf(text) },
    { type: 'turn-end', status: 'finished', finishReason: 'stop', at: at + 4000 },
  ];
}

/** Markdown of every common kind. */
function replyText(turn: number, length: number): string {
  let text = `## Answer ${turn}\n\n`;
  for (let section = 1; text.length < length; section++) text += paragraphs(turn, section);
  return text.trimEnd();
}

function paragraphs(turn: number, section: number): string {
  return [
    `It has **several parts**, of which this is \`part ${section}\` of answer ${turn}. A reading is taken`,
    'every minute, checked against its neighbours, and kept together with the time and the place.',
    '',
    '- a sensor measures, and *never* interprets',
    '- a station collects and sends on',
    '- the service compares, and says what is odd',
    '',
    '```ts',
    `const reading${section} = await station.read({ number: ${turn}, unit: 'celsius' });`,
    `if (reading${section}.value > limit) report(reading${section});`,
    '```',
    '',
    '| station | value |',
    '| --- | ---: |',
    `| north | ${turn} |`,
    `| south | ${section} |`,
    '',
    '',
  ].join('\n');
}

function usageOf(text: string) {
  const prompt_tokens = 1000;
  const completion_tokens = Math.ceil(text.length / 4);
  const total_tokens = prompt_tokens + completion_tokens;
  const counts = { prompt_tokens, completion_tokens, total_tokens, cached_tokens: 0 };
  return { ...counts, requests: 1, estimated: false };
}
