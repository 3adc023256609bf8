import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { readEvent } from '../../../../src/core/conversation/record.ts';
import { hostProcess } from '../../../../src/host/node/thisMachine.ts';
import { projectFolder } from '../../../support/paths.ts';
import { runs } from '../../../support/sample.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';
import type { windowCall } from '../../../support/windowProcess.ts';

const windowReply = z.object({
  mayWrite: z.optional(z.boolean()),
  stored: z.optional(z.string()),
  turns: z.optional(z.array(z.tuple([z.string(), z.string()]))),
  error: z.optional(z.string()),
});
type Reply = z.infer<typeof windowReply>;

/** A window in a process of its own. */
class WindowProcess {
  readonly replies: Reply[] = [];
  readonly #child: ChildProcess;

  constructor(folder: string) {
    const support = join(projectFolder, 'test/support');
    const execArgv = ['--import', pathToFileURL(join(support, 'stubVsCode.ts')).href];
    this.#child = fork(join(support, 'windowProcess.ts'), [folder, 'c'], { execArgv });
    this.#child.on('message', (message) => this.replies.push(windowReply.parse(message)));
  }

  async ready(): Promise<void> {
    await until(() => this.replies.length > 0);
    this.replies.length = 0;
  }

  post(call: z.infer<typeof windowCall>): void {
    this.#child.send(call);
  }

  /** Resolves with the next reply. */
  async call(call: z.infer<typeof windowCall>): Promise<Reply> {
    this.post(call);
    await until(() => this.replies.length > 0);
    return this.replies.shift() ?? assert.fail();
  }

  get stored(): readonly string[] {
    return this.replies.flatMap(({ stored }) => stored ?? []);
  }

  /** Ends the process as the system does if it has no memory left. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

describe('one chat in several processes', () => {
  let folder: TemporaryFolder;
  let windows: WindowProcess[];
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    windows = [];
  });
  afterEach(async () => {
    for (const window of windows) await window.kill();
    await folder.dispose();
  });

  async function openWindow(): Promise<WindowProcess> {
    const window = new WindowProcess(folder.path);
    windows.push(window);
    await window.ready();
    return window;
  }

  it('has every stored turn after kills at random moments, and the next window writes it', async () => {
    const kills = runs(15, 5);
    const stored: string[] = [];
    let next = openWindow();
    for (let round = 0; round <= kills; round++) {
      const window = await next;
      assert.equal((await window.call({ name: 'open' })).mayWrite, true, `after kill ${round}`);
      const { turns = [] } = await window.call({ name: 'list' });
      const replies = new Map(turns);
      assert.equal(replies.size, turns.length, 'No turn is doubled.');
      for (const text of stored) assert.equal(replies.get(text), `Reply to ${text}`);
      if (round === kills) break;
      next = openWindow();
      const texts = Array.from({ length: 1000 }, (_, index) => `${round}-${index}.`);
      window.post({ name: 'send', texts });
      await until(() => window.stored.length > 0);
      await setTimeout(Math.random() * 60);
      await window.kill();
      assert.deepEqual(
        window.replies.flatMap(({ error }) => error ?? []),
        [],
      );
      stored.push(...window.stored);
    }
    assert.ok(stored.length >= kills);
  });

  it('is written by exactly one of two that open it at the same moment, 200 times', async () => {
    const one = await openWindow();
    const both = [one, await openWindow()];
    const locks = join(folder.path, 'locks');
    await mkdir(locks, { recursive: true });
    const rounds = runs(200);
    const sent = ['first'];
    await one.call({ name: 'send', texts: sent });
    await one.call({ name: 'close' });
    for (let round = 0; round < rounds; round++) {
      // What an earlier window may have left.
      const remains = ['', '{"window":"o', goneLock()][round % 3] ?? '';
      if (round % 4 !== 0) await writeFile(join(locks, `c.${round + 1}.lock`), remains);
      const opened = await Promise.all(both.map((window) => window.call({ name: 'open' })));
      const mayWrite = opened.map((reply) => reply.mayWrite);
      assert.deepEqual(mayWrite.toSorted(), [false, true], `round ${round}`);
      const replies = await Promise.all(
        both.map((window, index) => window.call({ name: 'send', texts: [`${round}-${index}.`] })),
      );
      const writer = mayWrite.indexOf(true);
      assert.equal(replies[writer]?.stored, `${round}-${writer}.`);
      assert.match(replies[1 - writer]?.error ?? '', /another window/);
      sent.push(`${round}-${writer}.`);
      await Promise.all(both.map((window) => window.call({ name: 'close' })));
    }
    const text = await readFile(join(folder.path, 'chats/c.jsonl'), 'utf8');
    const { conversation, damaged } = readJournal('c', text);
    assert.equal(damaged, 0);
    assert.deepEqual(
      conversation.turns.map((turn) => [turn.question.text, turnText(turn)]),
      sent.map((message) => [message, `Reply to ${message}`]),
    );
    const numbers = text.split('\n').flatMap((line) => readEvent(line)?.number ?? []);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });
});

/** The lock of a process that has just been killed. */
function goneLock(): string {
  const { machine } = hostProcess();
  return JSON.stringify({ window: 'gone', machine, process: 2 ** 30, at: Date.now() });
}
