import type { ToolCallPart, Turn } from '../conversation/conversation.ts';

/** What one request of a turn brought: its text, and the calls that were carried out. */
export interface Round {
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}

/** The rounds of a turn, oldest first, without those of which nothing is left to send. */
export function roundsOf(turn: Turn): readonly Round[] {
  const rounds: { text: string; calls: ToolCallPart[] }[] = [];
  let last: { text: string; calls: ToolCallPart[] } | undefined;
  for (const part of turn.parts) {
    if (part.type === 'reasoning') continue;
    if (part.type === 'text' ? isBlank(part.text) : !wasCarriedOut(part)) continue;
    const begins =
      last === undefined ||
      (part.type === 'text' ? last.calls.length > 0 : isOfLaterRound(part, last.calls));
    if (last === undefined || begins) {
      last = { text: '', calls: [] };
      rounds.push(last);
    }
    if (part.type === 'text') last.text += part.text;
    else last.calls.push(part);
  }
  return rounds.filter(({ text, calls }) => text !== '' || calls.length > 0);
}

function isOfLaterRound({ round }: ToolCallPart, calls: readonly ToolCallPart[]): boolean {
  return calls.some((call) => call.round !== round);
}

/** Some services refuse a message that says nothing but white space, as models do before a call. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Those of a reply that broke off never began, and have no result. */
function wasCarriedOut({ result, startedAt }: ToolCallPart): boolean {
  return result !== undefined || startedAt !== undefined;
}
