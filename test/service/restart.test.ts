import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { turnText } from '../../src/core/conversation/conversation.ts';
import type { Usage } from '../../src/core/conversation/usage.ts';
import { ServiceClient } from '../../src/core/service/client.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { defineTool, type Tool } from '../../src/core/tools/tool.ts';
import type { ScriptedReply } from '../../src/local/completionsEndpoint.ts';
import { startHttpService, type HttpService } from '../support/httpService.ts';
import { recordUsage } from '../support/metering.ts';
import { anyLook, toolRig } from '../support/toolTurn.ts';
import { until } from '../support/until.ts';

const longReply = { content: 'word '.repeat(400) };
const calling = { content: '', toolCalls: [{ name: 'look', arguments: '{"name":"a"}' }] };

/** A service that can be stopped, with its connections, and started again on the same port. */
class RestartedService {
  #http: HttpService;
  readonly #ended: HttpService[] = [];

  private constructor(http: HttpService) {
    this.#http = http;
  }

  static async start(reply: ScriptedReply): Promise<RestartedService> {
    return new RestartedService(await startHttpService({ pace: 5, script: () => reply }));
  }

  get baseUrl(): string {
    return this.#http.baseUrl;
  }

  get key(): string {
    return this.#http.key;
  }

  /** Number of requests to each of the services. */
  get requests(): readonly number[] {
    return [...this.#ended, this.#http].map(({ service }) => service.requests.length);
  }

  async stop(): Promise<void> {
    await this.#http.close();
  }

  async startAgain(reply: ScriptedReply): Promise<void> {
    const port = Number(new URL(this.#http.baseUrl).port);
    this.#ended.push(this.#http);
    this.#http = await startHttpService({ port, pace: 0, script: () => reply });
  }
}

/** A chat over HTTP. Counts its requests by their usage. */
function chatWith({ baseUrl, key }: RestartedService, list: readonly Tool[] = []) {
  const options = { baseUrl, apiKey: key, fetch, clock: systemClock, silenceLimit: 30_000 };
  const counted: Usage[] = [];
  const client = new ServiceClient({ ...options, ...recordUsage((usage) => counted.push(usage)) });
  const rig = toolRig({ list, connect: () => Promise.resolve({ client, demo: false }) });
  const requests = (): number => counted.reduce((sum, usage) => sum + usage.requests, 0);
  return { ...rig, client, requests };
}

/** A tool that runs a function during its call. */
function toolRunning(action: () => Promise<void>): Tool {
  return defineTool({
    ...anyLook,
    name: 'look',
    category: 'read',
    description: 'Looks.',
    schema: z.strictObject({ name: z.string() }),
    title: () => 'Look',
    run: () => action().then(() => 'This is a.'),
  });
}

describe('a service that restarts on its port', () => {
  let service: RestartedService;

  afterEach(() => service.stop());

  it('in the middle of a reply: the text is kept, counted once, and only continued on Continue', async () => {
    service = await RestartedService.start(longReply);
    const { chat, ask, requests } = chatWith(service);
    const pending = ask();
    await until(
      () => chat.conversation.running?.parts.some(({ type }) => type === 'text') === true,
    );
    await service.stop();
    await service.startAgain({ content: 'the end.' });
    const turn = await pending;
    assert.equal(turn.status, 'cut');
    assert.match(turnText(turn), /^word/);
    assert.deepEqual([...service.requests, requests()], [1, 0, 1]);
    const continued = await chat.continue();
    assert.equal(continued.status, 'finished');
    assert.equal(turnText(continued), `${turnText(turn)}the end.`);
    assert.deepEqual([...service.requests, requests()], [1, 1, 2]);
    assert.equal(continued.usage?.requests, 2);
  });

  it('between two rounds: the tool runs once, and the second round is retried', async () => {
    service = await RestartedService.start(calling);
    let runs = 0;
    const tool = toolRunning(async () => {
      runs++;
      await service.stop();
    });
    const { ask, happens, requests } = chatWith(service, [tool]);
    const pending = ask();
    await happens('request-retry');
    await service.startAgain({ content: 'It is a.' });
    const turn = await pending;
    assert.equal(turn.status, 'finished');
    assert.equal(turnText(turn), 'It is a.');
    assert.equal(runs, 1);
    assert.deepEqual([...service.requests, requests(), turn.usage?.requests], [1, 1, 2, 2]);
  });
});
