/** Chats of other assistants, as far as their formats are the same. */
import { fencedCode, oneLine } from '../support/text.ts';
import { newChatFile, type ChatFile } from './chatFile.ts';
import { cleanTitle } from './chatTitle.ts';

/** A message of a chat of another assistant. Its code and its tool calls are part of its text. */
export interface ImportedMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Milliseconds since the Unix epoch; undefined if the format has no times. */
  readonly at?: number | undefined;
  readonly model?: string | undefined;
}

export interface ImportedChat {
  readonly title?: string | undefined;
  readonly messages: readonly ImportedMessage[];
}

/** A tool call as text: its name and its arguments. */
export function callText(name: string, parameters: unknown): string {
  const written = typeof parameters === 'string' ? parameters : JSON.stringify(parameters, null, 2);
  return `**${oneLine(name)}**\n\n${fencedCode(written, 'json')}`;
}

/** The result of a tool call as text. */
export function resultText(result: string): string {
  return result.trim() === '' ? '' : fencedCode(result.replace(/\n$/, ''), 'text');
}

/** Code or another attachment below a message. */
export function attachedText(title: string, content: string): string {
  return `${oneLine(title)}:\n${fencedCode(content)}`;
}

/** Texts with an empty line between them, without those that are empty. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

type Turn = ChatFile['turns'][number];

/** Maximum number of turns of a chat; the newest are imported. */
const maxTurns = 2000;

/**
 * Converts the chat to Aside's file format: a turn for each message of a person, with everything up
 * to the next one as its reply. Undefined if it has no messages.
 *
 * @param now time of messages without one
 */
export function chatFileOfImport(
  { title, messages }: ImportedChat,
  now: number,
): ChatFile | undefined {
  const turns: Turn[] = [];
  for (const message of messages) {
    const text = message.text.trim();
    if (text === '') continue;
    const at = timeOf(message, now);
    const last = turns.at(-1);
    if (message.role === 'user' || last === undefined) {
      const isReply = message.role === 'assistant';
      turns.push(turnOf(turns.length, isReply ? '' : text, at));
      if (!isReply) continue;
    }
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    turns[turns.length - 1] = {
      ...turn,
      model: turn.model || oneLine(message.model ?? ''),
      parts: [{ type: 'text', text: joinTexts([textOf(turn), text]) }],
      endedAt: Math.max(turn.endedAt, at),
    };
  }
  if (turns.length === 0) return undefined;
  const name = cleanTitle(title ?? '').slice(0, 200);
  return newChatFile(turns.slice(-maxTurns), name === '' ? undefined : name);
}

function textOf({ parts: [part] }: Turn): string {
  return part?.type === 'text' ? part.text : '';
}

function turnOf(index: number, text: string, at: number): Turn {
  return {
    id: `turn-${index}`,
    question: { text, attachments: [] },
    model: '',
    status: 'finished',
    parts: [],
    startedAt: at,
    endedAt: at,
    runningSince: at,
    duration: 0,
  };
}

function timeOf({ at }: ImportedMessage, now: number): number {
  return at !== undefined && at > 0 && at <= now ? at : now;
}
