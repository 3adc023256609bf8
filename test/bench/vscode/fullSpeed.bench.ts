import { Workbench } from '../../support/vscode/workbench.ts';
import { alternate, median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { askAnew, connectAside } from './asidePanel.ts';
import { allowOwnModel, BuiltInChat, chatModel } from './builtInChat.ts';
import { startChunkService, type ChunkService } from './chunkService.ts';
import { MainThread } from './mainThread.ts';
import { withStand, type Stand } from './stand.ts';

const count = 4000;
const lastWords = 'These were all the words.';
/** Milliseconds; a long reply keeps VS Code's built-in chat busy for up to a minute. */
const patience = 300_000;

/** Measures a long reply at full speed on the window's main thread, which renders all panels. */
export async function bench(table: Table): Promise<void> {
  const service = await startChunkService({ chunks: cut(longText(), count), pace: 0 });
  try {
    await withStand(
      table,
      {
        samples: [chatModel],
        prepare: allowOwnModel,
        settings: { 'workbench.secondarySideBar.defaultVisibility': 'visible' },
      },
      (stand) => measure(stand, service, table),
    );
  } finally {
    await service.close();
  }
}

async function measure(
  { newPage, newWindow }: Stand,
  service: ChunkService,
  table: Table,
): Promise<void> {
  const page = await newPage();
  page.setDefaultTimeout(patience);
  const workbench = new Workbench(page, 'aside-chat.aside.aside.usage');
  await workbench.open(await newWindow());
  const panel = await connectAside(workbench, service.baseUrl);
  const chat = new BuiltInChat(workbench);
  await chat.enable('Bench');
  const thread = await MainThread.of(page);
  const [ours = [], theirs = []] = await alternate(3, 0, [
    () =>
      thread.cpuOf(async () => {
        await askAnew(workbench, panel);
        await panel.replies.filter({ hasText: lastWords }).waitFor();
        await panel.settled();
      }),
    () =>
      thread.cpuOf(async () => {
        await chat.askAnew('Tell me everything.');
        await chat.answer.filter({ hasText: lastWords }).waitFor();
      }),
  ]);
  table.add(
    ratioRow({
      name: `${count} chunks at full speed, CPU of the main thread`,
      against: "VS Code's own chat, same text, same server",
      goal: 0.05,
      ours: median(ours),
      theirs: median(theirs),
    }),
  );
}

/** Typical Markdown: headings, paragraphs, lists, and code in every tenth section. */
function longText(): string {
  const part = (number: number): string =>
    [
      `## Part ${number}`,
      `A station measures **every minute** and sends \`reading ${number}\` on to the service.`,
      '- it compares with the neighbours\n- it keeps the time and the place',
      ...(number % 10 === 9
        ? [`\`\`\`ts\nconst reading = await station.read(${number});\n\`\`\``]
        : []),
    ].join('\n\n');
  const parts = Array.from({ length: 250 }, (_, number) => part(number));
  return [...parts, lastWords].join('\n\n');
}

function cut(text: string, pieces: number): string[] {
  const at = (piece: number): number => Math.round((piece * text.length) / pieces);
  return Array.from({ length: pieces }, (_, piece) => text.slice(at(piece), at(piece + 1)));
}
