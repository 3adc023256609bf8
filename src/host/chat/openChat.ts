import { createClient } from '../../core/service/client.ts';
import { redactedClient } from '../../core/service/redactedClient.ts';
import { UsageHabit } from '../../core/service/usageHabit.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Redactor } from '../../core/support/redact.ts';
import type { InstructionFile } from '../../core/turn/prompt.ts';
import type { Connection } from '../connection/connection.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { ownSettings } from '../settingValues.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import { Chat, type ChatOptions } from './chat.ts';
import { refuseSecrets } from './refuseSecrets.ts';

export interface ChatParts {
  readonly connection: Connection;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
  readonly log: Log;
  readonly redactor: Redactor;
  /** The tools that a turn gets now. */
  readonly tools: ChatOptions['tools'];
  readonly onToolsRefused: ChatOptions['onToolsRefused'];
  readonly prepare: ChatOptions['prepare'];
  /** Files of the workspace that instruct the model, as far as they are known. */
  readonly instructions: () => readonly InstructionFile[];
}

/** A chat that asks the service of the moment, by the settings of the moment. */
export function openChat(parts: ChatParts): Chat {
  const { connection, settings, errors, ledger, ratios, log, redactor } = parts;
  const { tools, onToolsRefused, prepare } = parts;
  const usageHabit = new UsageHabit();
  // A key that was stored in an earlier session must be known before anything is asked or kept.
  const learnKey = (): Promise<unknown> => connection.endpoint().catch(() => undefined);
  let known = learnKey();
  connection.onDidChange(() => {
    known = learnKey();
  });
  return new Chat({
    tools,
    onToolsRefused,
    prepare,
    asSent(request) {
      const { origin } = connection;
      return origin === undefined ? request : usageHabit.apply(origin, request);
    },
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    async connect() {
      const { demo, ...endpoint } = await connection.endpoint();
      const silenceLimit = settings.current().requestTimeoutSeconds * 1000;
      const client = createClient({ ...endpoint, clock: systemClock, silenceLimit, usageHabit });
      return { client: redactedClient(client, redactor), demo };
    },
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const { contextWindow } = ownSettings(values, model);
      const options = settings.requestOptions(model);
      return { instructions, files: parts.instructions(), stream, options, contextWindow };
    },
    meter: {
      estimate: (model, characters) => ratios.estimateTokens(model, characters),
      learn: (model, characters, tokens) => void ratios.learn(model, characters, tokens),
    },
    record: (model, usage, demo) => void ledger.record({ model, usage, demo }),
    async check(question) {
      await known;
      refuseSecrets(question, redactor);
    },
    describe(error, model) {
      log.error('A request failed', error);
      return errors.text(error, model);
    },
  });
}
