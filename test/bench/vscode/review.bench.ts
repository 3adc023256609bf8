import * as z from 'zod/mini';
import type { Script } from '../../../src/local/completionsEndpoint.ts';
import { connect } from '../../journeys/support/connect.ts';
import { Panel } from '../../journeys/support/panel.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { functionEdit } from '../functionEdit.ts';
import { alternate, median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { MainThread } from './mainThread.ts';
import { withStand, type Stand } from './stand.ts';

const rounds = 9;
const long = 2000;
const short = 500;

/** Measures editing a function in a real editor, and the growth with its length. */
export async function bench(table: Table): Promise<void> {
  const service = await startHttpService({ script, balance: 1_000_000 });
  try {
    await withStand(table, { samples: [editing] }, (stand) => measure(stand, service, table));
  } finally {
    await service.close();
  }
}

/** Replies with an edit of the function in the request, of the same length. */
const script: Script = ({ messages }) => {
  const lines = /lines 1-(\d+)/.exec(messages.at(-1)?.content ?? '')?.[1];
  return { content: functionEdit(Number(lines)).answer };
};

const steps = ['bench.open', 'bench.stream', 'bench.apply'] as const;
type Step = (typeof steps)[number];

/** Keybindings, because the command palette would also use the main thread. */
const keys = [long, short]
  .flatMap((args) => steps.map((command) => ({ command, args })))
  .map((binding, index) => ({ ...binding, key: `ctrl+alt+f${index + 1}` }));

const editing = {
  name: 'editing',
  activationEvents: ['onStartupFinished'],
  contributes: { keybindings: keys },
};

const streamed = z.object({ cpu: z.number() });
const applied = z.object({ applying: z.number(), writing: z.number() });
const failure = z.object({ failed: z.optional(z.string()) });

/** Milliseconds. */
interface EditCost extends z.infer<typeof applied> {
  /**
   * CPU time of the extension host and of the main thread, from the command until the person can
   * decide.
   */
  readonly host: number;
  readonly thread: number;
}

async function measure(
  { newPage, newWindow }: Stand,
  { baseUrl, key }: HttpService,
  table: Table,
): Promise<void> {
  const page = await newPage();
  const workbench = new Workbench(page, 'aside-chat.aside.aside.usage');
  await workbench.open(await newWindow());
  await connect({ workbench, panel: new Panel(workbench), baseUrl, key });
  await workbench.showContainer('Explorer');
  const thread = await MainThread.of(page);
  const [ours = [], theirs = []] = await alternate(rounds, 1, [
    () => edit(workbench, thread, long),
    () => edit(workbench, thread, short),
  ]);
  addRows(table, ours, theirs);
}

/** Edits a new function of this many lines, and accepts the edit. */
async function edit(workbench: Workbench, thread: MainThread, lines: number): Promise<EditCost> {
  await runStep(workbench, 'bench.open', lines);
  let output: unknown;
  const sample = await thread.cpuOf(async () => {
    output = await runStep(workbench, 'bench.stream', lines);
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Accept' }).first().waitFor();
  });
  const { cpu: host } = streamed.parse(output);
  return { host, thread: sample, ...applied.parse(await runStep(workbench, 'bench.apply', lines)) };
}

/** Runs a step. Resolves with the result that the extension shows. */
async function runStep({ page }: Workbench, step: Step, lines: number): Promise<unknown> {
  const index = keys.findIndex(({ command, args }) => command === step && args === lines);
  await page.keyboard.press(`Control+Alt+F${index + 1}`);
  const item = page.locator('.statusbar-item[id="bench.editing.step"]');
  const text = await item.filter({ hasText: `"${step}":${lines}` }).innerText({ timeout: 60_000 });
  const result: unknown = JSON.parse(text);
  const { failed } = failure.parse(result);
  if (failed !== undefined) throw new Error(`${step} failed: ${failed}`);
  return result;
}

function addRows(table: Table, ours: readonly EditCost[], theirs: readonly EditCost[]): void {
  const perLine = (all: readonly EditCost[], lines: number, of: 'host' | 'thread'): number =>
    (median(all.map((sample) => sample[of])) / lines) * 1000;
  for (const [of, name] of [
    ['host', 'extension host'],
    ['thread', 'main thread'],
  ] as const) {
    table.add(
      ratioRow({
        name: `a function of 2,000 lines streamed as an edit, CPU of the ${name} for each line`,
        against: 'the same of 500 lines',
        ours: perLine(ours, long, of),
        theirs: perLine(theirs, short, of),
        unit: 'µs',
        goal: 1.3,
      }),
    );
  }
  table.add(
    ratioRow({
      name: 'the edit of 2,000 lines accepted, until its text is there',
      against: 'the same text written once',
      ours: median(ours.map(({ applying }) => applying)),
      theirs: median(ours.map(({ writing }) => writing)),
      goal: 2,
    }),
  );
}
