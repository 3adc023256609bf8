import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { withStand, type Stand } from './stand.ts';

const rounds = 20;
const result = z.object({ ours: z.number(), theirs: z.number() });
type Result = z.infer<typeof result>;

/** Measures `activate` in a fresh extension host, including loading the script. */
export async function bench(table: Table): Promise<void> {
  const results = await withStand(table, { samples, prepare: waitForProbe }, measure);
  const ours = results.map((result) => result.ours);
  const theirs = results.map((result) => result.theirs);
  table.add(
    ratioRow({
      name: `activate, median of ${rounds}`,
      against: 'an empty extension',
      ours: median(ours),
      theirs: median(theirs),
      goal: 1.8,
    }),
  );
}

const samples = [
  { name: 'empty' },
  { name: 'warmup' },
  { name: 'probe', activationEvents: ['onStartupFinished'] },
];

/** Prevents Aside from being activated before the measurement. */
async function waitForProbe({ extensions }: { readonly extensions: string }): Promise<void> {
  const [file = ''] = globSync('aside-chat.aside-*/package.json', { cwd: extensions });
  const path = join(extensions, file);
  const manifest = z.looseObject({}).parse(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify({ ...manifest, activationEvents: [] }));
}

async function measure({ newPage, newWindow }: Stand): Promise<readonly Result[]> {
  const page = await newPage();
  const results: Result[] = [];
  await page.goto(await newWindow());
  for (let round = -1; round < rounds; round++) {
    const item = page.locator('.statusbar-item[id="bench.probe.result"]');
    const text = await item.innerText({ timeout: 60_000 });
    // The first round fills the file system caches.
    if (round >= 0) results.push(result.parse(JSON.parse(text)));
    await page.reload();
  }
  return results;
}
