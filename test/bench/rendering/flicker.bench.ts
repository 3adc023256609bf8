/** Counts elements that flash, jump or vanish while a reply is typed character by character. */
import * as z from 'zod';
import { figureRow } from '../row.ts';
import type { Table } from '../table.ts';
import { aside, Stage } from './stage.ts';

const typed = z.object({
  raw: z.number(),
  firstRaw: z.string(),
  thrownAway: z.number(),
  shrinks: z.number(),
});

/** Adds three rows. */
export async function bench(table: Table): Promise<void> {
  await using stage = await Stage.open([aside]);
  table.names(stage.version);
  await using page = await stage.page(aside);
  const seen = typed.parse(await page.call('typeSample(subject.createSubject)'));
  const sample = '437 characters one by one';
  table.add(
    figureRow({
      name: `Frames that show raw syntax, ${sample}`,
      value: seen.raw,
      unit: '',
      goal: 0,
      note: `first seen in “${seen.firstRaw}”`,
    }),
  );
  table.add(
    figureRow({ name: `Nodes thrown away, ${sample}`, value: seen.thrownAway, unit: '', goal: 5 }),
  );
  table.add(
    figureRow({
      name: `Times the text got shorter, ${sample}`,
      value: seen.shrinks,
      unit: '',
      goal: 0,
    }),
  );
}
