import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Conversation, Turn } from '../../src/core/conversation/conversation.ts';
import { JournalReader } from '../../src/core/conversation/journalReader.ts';
import type { Panel } from '../journeys/support/panel.ts';

/** A turn in the page. */
interface PageTurn {
  readonly id: string;
  readonly text: string;
}

/** Maximum milliseconds that the journal may lag behind the page. */
const maxLag = 15_000;

/**
 * Compares the panel with the journal of its chat. Resolves with the difference, or with undefined
 * once there is none.
 */
export async function findDifference(panel: Panel, folder: string): Promise<string | undefined> {
  const deadline = performance.now() + maxLag;
  for (;;) {
    const difference = compare(await pageTurns(panel), await storedChats(folder));
    if (difference === undefined || performance.now() > deadline) return difference;
    await setTimeout(200);
  }
}

/** Chats on the disk, by id. */
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

async function pageTurns(panel: Panel): Promise<readonly PageTurn[]> {
  return panel.transcript.locator('[data-turn]').evaluateAll((turns) =>
    turns.map((turn) => ({
      id: turn.getAttribute('data-turn') ?? '',
      text: turn.textContent,
    })),
  );
}

function compare(
  visibleTurns: readonly PageTurn[],
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
  // Turns far outside the view aren't in the page.
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

/** A text of the turn that is missing in the page. */
function missingText(turn: Turn | undefined, pageText: string): string | undefined {
  if (turn === undefined) return undefined;
  const page = withoutSpaces(pageText);
  return textsOf(turn)
    .filter((text) => !page.includes(withoutSpaces(text)))
    .map((text) => `The turn ${turn.id} does not show: ${text}\nIt shows: ${pageText}`)[0];
}

/** Message, and texts of the reply. */
export function textsOf({ question, parts }: Turn): readonly string[] {
  return [question.text, ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))];
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
