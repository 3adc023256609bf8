import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ToolCallPart, Turn } from '../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../src/core/conversation/journalReader.ts';
import type { Script } from '../../../src/local/completionsEndpoint.ts';
import { connect } from '../../journeys/support/connect.ts';
import { Panel } from '../../journeys/support/panel.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { modelSaying } from '../../support/modelSaying.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { moduleLine, modulePath, writeWorkspace } from '../workspace.ts';
import { askAnew } from './asidePanel.ts';
import { withStand, type Stand } from './stand.ts';

const rounds = 50;
/** Number of turns with this many rounds. The first doesn't count. */
const turns = 4;
/** Timeout of a turn in milliseconds. */
const patience = 60_000;

/** Sends the same requests from an extension that does nothing else. */
const replay = {
  name: 'replay',
  contributes: { commands: [{ command: 'bench.replay', title: 'Replay', category: 'Bench' }] },
};

/** Measures the overhead of each round of a turn, without the work of the service and the tools. */
export async function bench(table: Table): Promise<void> {
  const service = await startHttpService({ script, balance: 1_000_000 });
  let user = '';
  try {
    const options = {
      samples: [replay],
      settings: { 'aside.tools.maxRounds': rounds + 1 },
      prepare: (folders: { readonly user: string }) => Promise.resolve(void (user = folders.user)),
    };
    const measured = await withStand(table, options, (stand) =>
      measure(stand, service, () => user),
    );
    const { between, tools, bare } = measured;
    table.add(
      ratioRow({
        name: `a round of tools in 10,000 files, of ${rounds} in a turn: end of a reply → next request, without the tools, median`,
        against: "the same requests by VS Code's `fetch` alone",
        ours: median(between.map((time, index) => time - (tools[index] ?? NaN))),
        theirs: median(bare),
        // A round is on disk before its request is sent: see docs/benchmarks.md.
        goal: 3.2,
      }),
    );
  } finally {
    await service.close();
  }
}

/**
 * Replies with the calls of one round after the other. Each turn uses other files, selected by the
 * number in its message.
 */
const script: Script = (request) => {
  const message = request.messages.findLast(({ role }) => role === 'user')?.content;
  const turn = Number(/\d+/.exec(typeof message === 'string' ? message : '')?.[0] ?? 0);
  const calls = Array.from({ length: rounds }, (_, round) => callsOf(turn * rounds + round));
  return modelSaying(...calls, 'All rounds are over.')(request);
};

/** Alternates reads, a search, a list and a small edit. */
function callsOf(number: number): readonly (readonly [name: string, given: object])[] {
  // Skips ignored files.
  const file = number * 20 + 1;
  const path = modulePath(file);
  const part = path.slice(0, path.lastIndexOf('/'));
  const replace = moduleLine(file, 5).replace('compute', 'count');
  const kinds = [
    [
      ['read_file', { path, start: 1, end: 20 }],
      ['read_file', { path: modulePath(file + 1), start: 1, end: 20 }],
    ],
    [['search_text', { query: `needle${number * 50 + 7}` }]],
    [['list_files', { path: part }]],
    [['edit_file', { path, edits: [{ search: moduleLine(file, 5), replace }] }]],
  ] as const;
  return kinds[number % kinds.length] ?? [];
}

/** Milliseconds per round. */
interface Rounds {
  /** Time from the end of a reply, as written by the server, until the server has received the next request. */
  readonly between: readonly number[];
  /** Part of that time in which a tool was running, according to the journal. */
  readonly tools: readonly number[];
  /** Time between the same requests in an extension that only sends them. */
  readonly bare: readonly number[];
}

async function measure(
  { newPage, newWindow }: Stand,
  http: HttpService,
  user: () => string,
): Promise<Rounds> {
  const page = await newPage();
  page.setDefaultTimeout(patience);
  const workbench = new Workbench(page, 'aside-chat.aside.aside.usage');
  let folder = '';
  const fill = (path: string): Promise<void> => writeWorkspace((folder = path));
  await workbench.open(await newWindow(fill));
  const panel = new Panel(workbench);
  await connect({ workbench, panel, baseUrl: http.baseUrl, key: http.key });
  const measured: Rounds[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = http.exchanges.length;
    await askAnew(workbench, panel, `Turn ${turn}`);
    const first = panel.calls('edit_file').first();
    await first.getByRole('button', { name: 'More Ways to Allow…' }).click();
    await panel.menuItem('Allow in This Chat').click();
    await panel.settled();
    const between = gapsIn(http.exchanges.slice(before));
    const tools = toolsOf(await endedTurn(user(), `Turn ${turn}`));
    measured.push({ between, tools, bare: await sendAgain(workbench, http, folder) });
  }
  return {
    between: measured.slice(1).flatMap(({ between }) => between),
    tools: measured.slice(1).flatMap(({ tools }) => tools),
    bare: measured.slice(1).flatMap(({ bare }) => bare),
  };
}

/** Sends the requests of the last turn again with `fetch` alone. */
async function sendAgain(
  workbench: Workbench,
  { service, exchanges, baseUrl, key }: HttpService,
  folder: string,
): Promise<readonly number[]> {
  const bodies = service.requests.slice(-1 - rounds).map(({ body }) => JSON.stringify(body));
  const before = exchanges.length;
  const url = `${baseUrl}/chat/completions`;
  await writeFile(join(folder, 'replay.json'), JSON.stringify({ url, key, bodies }));
  await workbench.command('Bench: Replay');
  while (exchanges.length < before + bodies.length) await setTimeout(20);
  return gapsIn(exchanges.slice(before));
}

/** Reads the turn from its journal, which is written shortly after the panel shows its end. */
async function endedTurn(user: string, question: string): Promise<Turn> {
  const chats = join(user, 'User/globalStorage/aside-chat.aside/chats');
  for (;;) {
    for (const file of globSync('*.jsonl', { cwd: chats })) {
      const text = await readFile(join(chats, file), 'utf8');
      const { conversation } = readJournal(basename(file, '.jsonl'), text);
      const [turn] = conversation.turns;
      if (turn?.question.text === question) return turn;
    }
    await setTimeout(20);
  }
}

/** Milliseconds from the end of each reply to the next request. */
function gapsIn(exchanges: HttpService['exchanges']): readonly number[] {
  assert.equal(exchanges.length, rounds + 1);
  return exchanges
    .slice(1)
    .map(({ arrived }, index) => arrived - (exchanges[index]?.answered ?? NaN));
}

/**
 * Milliseconds of the tools of each round, without approvals. The one round that contains an
 * approval is an outlier.
 */
function toolsOf({ parts }: Turn): readonly number[] {
  const calls = parts.filter((part) => part.type === 'tool-call');
  assert.ok(
    calls.every(({ status }) => status === 'done'),
    'A call went wrong.',
  );
  return Array.from({ length: rounds }, (_, index) =>
    timeOf(calls.filter(({ round }) => round === index + 1)),
  );
}

/** Milliseconds in which at least one of the calls was running. Times are rounded to whole milliseconds. */
function timeOf(calls: readonly ToolCallPart[]): number {
  let until = 0;
  let time = 0;
  for (const { startedAt = NaN, endedAt = NaN } of calls) {
    time += Math.max(0, endedAt - Math.max(until, startedAt));
    until = Math.max(until, endedAt);
  }
  return time;
}
