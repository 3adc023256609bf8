import {
  emptyConversation,
  turnText,
  type Turn,
} from '../../../src/core/conversation/conversation.ts';
import { ServiceClient } from '../../../src/core/service/client.ts';
import { ServiceError } from '../../../src/core/service/errors.ts';
import { systemClock, type Clock } from '../../../src/core/support/clock.ts';
import { createRedactor } from '../../../src/core/support/redact.ts';
import { LiveConversation } from '../../../src/core/conversation/liveConversation.ts';
import { RequestPlanner } from '../../../src/core/turn/nextTurn.ts';
import { runTurn, TurnControl } from '../../../src/core/turn/runTurn.ts';
import { RawServer, type Answer } from '../../support/rawServer.ts';
import { until } from '../../support/until.ts';
import { turnStart } from '../../support/turns.ts';
import { meterOf } from '../../support/metering.ts';

export const apiKey = 'sk-test-0123456789abcdef';
export const messageText = 'What is the answer?';

export interface HttpTurnOptions {
  readonly clock?: Clock;
  readonly stream?: boolean;
  /** Text of the reply that is continued. */
  readonly continued?: string;
}

/** A turn with a real HTTP connection, which starts immediately. */
export class HttpTurn {
  readonly #control = new TurnControl();
  readonly #options: HttpTurnOptions;
  readonly #baseUrl: string;
  readonly #conversation = new LiveConversation(emptyConversation('c'));
  /** Milliseconds of the waits before retries. */
  readonly delays: number[] = [];
  readonly ended: Promise<Turn>;

  constructor(baseUrl: string, options: HttpTurnOptions = {}) {
    this.#baseUrl = baseUrl;
    this.#options = options;
    this.ended = this.#run();
  }

  get text(): string {
    const turn = this.#conversation.current.running;
    return turn === undefined ? '' : turnText(turn);
  }

  /** Resolves when the reply contains the text. */
  untilText(text: string): Promise<void> {
    return until(() => this.text.includes(text));
  }

  stop(): void {
    this.#control.stop();
  }

  async #run(): Promise<Turn> {
    const { clock = systemClock, stream = true } = this.#options;
    this.#start(clock);
    const client = this.#client(clock);
    const planner = new RequestPlanner(this.#conversation, {
      clock,
      meter: meterOf(1),
      connect: () => Promise.resolve({ client, demo: false }),
      settings: () => ({ instructions: '', stream, options: {} }),
      tools: () => Promise.resolve(undefined),
      describe: (error) => ({
        kind: error instanceof ServiceError ? error.kind : 'unexpected',
        message: error instanceof ServiceError ? (error.detail ?? error.message) : String(error),
      }),
    });
    for await (const event of runTurn(planner, this.#control)) {
      if (event.type === 'request-retry') this.delays.push(event.retry.resumeAt - clock.wall());
      this.#conversation.apply(event);
    }
    const [turn] = this.#conversation.current.turns;
    if (turn === undefined) throw new Error('The turn did not end.');
    return turn;
  }

  #start(clock: Clock): void {
    const at = clock.wall();
    const message = { text: messageText, attachments: [] };
    const { continued } = this.#options;
    this.#conversation.apply(turnStart({ question: message, model: 'some/model', at }));
    if (continued === undefined) return;
    this.#conversation.apply({ type: 'text-delta', text: continued, at });
    this.#conversation.apply({ type: 'turn-end', status: 'stopped', at });
    this.#conversation.apply({ type: 'turn-continue', at });
  }

  #client(clock: Clock): ServiceClient {
    const options = { baseUrl: this.#baseUrl, apiKey, fetch, clock, silenceLimit: 30_000 };
    const redactor = createRedactor();
    redactor.setKeys([apiKey]);
    return new ServiceClient({ ...options, redactor, meter: meterOf(1) });
  }
}

/** Sum of the skipped waits, in milliseconds. */
let skipped = 0;

/** A clock that skips some waits. */
function skipWaits(clock: Clock, isSkipped: (delay: number) => boolean): Clock {
  return {
    ...clock,
    monotonic: () => systemClock.monotonic() + skipped,
    after(delay, callback) {
      if (!isSkipped(delay)) return clock.after(delay, callback);
      return systemClock.after(0, () => {
        skipped += delay;
        callback();
      });
    },
  };
}

/** A clock with a fixed time of day, which skips the waits before retries. */
export const clockWithoutRetryWaits: Clock = skipWaits(
  { ...systemClock, wall: () => Date.UTC(2026, 0, 1) },
  (delay) => delay < 5000,
);

interface StartedTurn {
  readonly server: RawServer;
  readonly httpTurn: HttpTurn;
}

/** Starts servers, which stop after each test, and turns with them. */
export function useServers(): {
  readonly start: (...answers: readonly Answer[]) => Promise<RawServer>;
  /** Starts a server with this response, and a turn with it. */
  readonly startTurn: (answer: Answer, options?: HttpTurnOptions) => Promise<StartedTurn>;
} {
  const servers: RawServer[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.stop()));
  const start = async (...answers: readonly Answer[]): Promise<RawServer> => {
    const server = await RawServer.start(...answers);
    servers.push(server);
    return server;
  };
  return {
    start,
    async startTurn(answer, options) {
      const server = await start(answer);
      return { server, httpTurn: new HttpTurn(server.baseUrl, options) };
    },
  };
}
