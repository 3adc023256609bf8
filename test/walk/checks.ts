import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Conversation, Turn } from '../../src/core/conversation/conversation.ts';
import { JournalReader } from '../../src/core/conversation/journalReader.ts';
import type { Panel } from '../journeys/support/panel.ts';

/** A turn as the page shows it. */
interface ShownTurn {
  readonly id: string;
  readonly text: string;
}

/** How long the journal may lag behind the page, in milliseconds. */
const longestLag = 15_000;

/**
 * What the panel shows compared with the journal of its chat. Resolves with the difference, or with
 * undefined once there is none.
 */
export async function findDifference(panel: Panel, folder: string): Promise<string | undefined> {
  const deadline = performance.now() + longestLag;
  for (;;) {
    const difference = compare(await shownTurns(panel), await storedChats(folder));
    if (difference === undefined || performance.now() > deadline) return difference;
    await setTimeout(200);
  }
}

/** The chats on disk, by id. */
export async function storedChats(folder: string): Promise<ReadonlyMap<string, Conversation>> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const chats = files.map(async (name) => {
    const id = basename(name, '.jsonl');
    const reader = new JournalReader(id);
    reader.read(await readFile(join(folder, name), 'utf8'));
    return [id, reader.content.conversation] as const;
  });
  return new Map(await Promise.all(chats));
}

async function shownTurns(panel: Panel): Promise<readonly ShownTurn[]> {
  return panel.transcript.locator('[data-turn]').evaluateAll((turns) =>
    turns.map((turn) => ({
      id: turn.getAttribute('data-turn') ?? '',
      text: turn.textContent,
    })),
  );
}

function compare(
  visibleTurns: readonly ShownTurn[],
  chats: ReadonlyMap<string, Conversation>,
): string | undefined {
  const last = visibleTurns.at(-1);
  if (last === undefined) return undefined;
  const stored = [...chats.values()]
    .map(turnsOf)
    .find((turns) => turns.some(({ id }) => id === last.id));
  if (stored === undefined) return `The turn ${last.id} is shown and in no journal.`;
  const ids = stored.map(({ id }) => id);
  const first = ids.indexOf(visibleTurns[0]?.id ?? '');
  // Turns that are far off are not in the page.
  const expected = ids.slice(Math.max(first, 0)).join(' ');
  const visibleIds = visibleTurns.map(({ id }) => id).join(' ');
  if (expected !== visibleIds) return `Shown are the turns ${visibleIds}, stored are ${expected}.`;
  return visibleTurns
    .map(({ id, text }) =>
      missingText(
        stored.find((turn) => turn.id === id),
        text,
      ),
    )
    .find((missing) => missing !== undefined);
}

export function turnsOf({ turns, running }: Conversation): readonly Turn[] {
  return running === undefined ? turns : [...turns, running];
}

/** A text of the turn that the page does not show. */
function missingText(turn: Turn | undefined, pageText: string): string | undefined {
  if (turn === undefined) return undefined;
  const page = withoutSpaces(pageText);
  return textsOf(turn)
    .filter((text) => !page.includes(withoutSpaces(text)))
    .map((text) => `The turn ${turn.id} does not show: ${text}\nIt shows: ${pageText}`)[0];
}

/** The message, and the text of the reply. */
export function textsOf({ question, parts }: Turn): readonly string[] {
  return [question.text, ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))];
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
