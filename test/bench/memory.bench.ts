import { join } from 'node:path';
import * as z from 'zod/mini';
import { runCommand } from '../support/runCommand.ts';
import { ratioRow } from './row.ts';
import type { Table } from './table.ts';

const size = z.number().check(z.positive());
const openChatMemory = z.object({
  chats: size,
  /** Bytes of each chat's journal. */
  journals: z.readonly(z.array(size)),
  /** Bytes of the heap: with one chat, with all, and with all if idle chats stay in memory. */
  single: size,
  all: size,
  unbounded: size,
});
export type OpenChatMemory = Readonly<z.infer<typeof openChatMemory>>;

/** Measures the memory of open chats in the extension host, each in a tab. */
export async function bench(table: Table): Promise<void> {
  const { chats, journals, single, all, unbounded } = await measure();
  const bytes = journals.reduce((sum, length) => sum + length, 0);
  const what = `1,000 messages (${megabytes(bytes / chats).toFixed(1)} MB)`;
  const unit = 'MB';
  table.add(
    ratioRow({
      name: `memory of an open chat of ${what}`,
      against: 'its journal',
      ours: megabytes(single),
      theirs: megabytes(bytes / chats),
      unit,
      goal: 1.5,
    }),
  );
  table.add(
    ratioRow({
      name: `memory of ${chats} such chats in tabs, of which one is visible`,
      against: 'one of them',
      ours: megabytes(all),
      theirs: megabytes(single),
      unit,
      goal: 6,
    }),
  );
  table.add(
    ratioRow({
      name: 'the same, with none emptied that is idle',
      against: 'one of them',
      ours: megabytes(unbounded),
      theirs: megabytes(single),
      unit,
    }),
  );
}

async function measure(): Promise<OpenChatMemory> {
  let output = '';
  const onOutput = (text: string): void => void (output += text);
  const file = join(import.meta.dirname, 'openChatMemory.ts');
  const code = await runCommand(process.execPath, [file], { quiet: true, onOutput });
  if (code !== 0) throw new Error(`The memory of open chats was not measured: ${output}`);
  return openChatMemory.parse(JSON.parse(output));
}

function megabytes(bytes: number): number {
  return bytes / 1_000_000;
}
