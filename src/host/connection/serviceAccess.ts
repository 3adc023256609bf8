import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import type { Usage } from '../../core/conversation/usage.ts';
import { checkedClient } from '../../core/service/budget.ts';
import { createClient, StreamUsagePolicy, type Client } from '../../core/service/client.ts';
import { redactedClient } from '../../core/service/redactedClient.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Redactor } from '../../core/support/redact.ts';
import type { TokenMeter } from '../../core/turn/replyEvents.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import { UserError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { applyBudget } from '../usage/budgets.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import type { UsageByModel, UsageContext } from '../usage/usageTable.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';

/** What every request needs: the client, the counting of usage, and the texts for errors. */
export interface ServiceAccess {
  /**
   * The client of the current service; rejects where there is none. It removes known keys from
   * replies and keeps requests within the budgets.
   * @param chat returns the usage of the chat that sends the request
   */
  readonly connect: (
    chat?: () => UsageByModel,
  ) => Promise<{ readonly client: Client; readonly demo: boolean }>;
  /** A request as the current service would get it. */
  readonly asSent: (request: CompletionRequest, chat?: () => UsageByModel) => CompletionRequest;
  readonly meter: TokenMeter;
  /** Counts the usage of a request. */
  readonly record: (model: string, usage: Usage, demo: boolean) => void;
  /** Logs an error, and returns its text and remedy. */
  readonly describe: (error: unknown, model: string) => TurnError;
  /** Throws a `UserError` where one of these texts must not be sent. */
  readonly check: (texts: readonly string[]) => Promise<void>;
}

interface ServiceAccessOptions {
  readonly connection: Connection;
  readonly keys: Pick<Keys, 'learned'>;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Prices, and texts for an exceeded budget. */
  readonly usage: () => UsageContext;
}

/** Access to the current service. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { connection, keys, settings, errors, ledger, ratios, log, redactor } = options;
  const usagePolicy = new StreamUsagePolicy();
  const meter: TokenMeter = {
    estimate: (model, characters) => ratios.estimateTokens(model, characters),
    learn: (model, characters, tokens) => void ratios.learn(model, characters, tokens),
  };
  const keep = (request: CompletionRequest, chat?: () => UsageByModel): CompletionRequest => {
    const { budget } = settings.current();
    const context = options.usage();
    return applyBudget(request, { budget, day: ledger.today, chat: chat?.(), meter, context });
  };
  /** Undefined where the request would not be sent. */
  const within = (...given: Parameters<typeof keep>): CompletionRequest | undefined => {
    try {
      return keep(...given);
    } catch {
      return undefined;
    }
  };
  return {
    async connect(chat) {
      // The redactor must know every stored key before anything is sent or stored.
      await keys.learned();
      const { demo, ...endpoint } = await connection.endpoint();
      const silenceLimit = settings.current().requestTimeoutSeconds * 1000;
      const client = createClient({ ...endpoint, clock: systemClock, silenceLimit, usagePolicy });
      const redacted = redactedClient(client, redactor);
      // A demo request costs nothing, so it counts in no budget.
      return {
        client: demo ? redacted : checkedClient(redacted, (request) => keep(request, chat)),
        demo,
      };
    },
    asSent(request, chat) {
      const { origin, isDemo } = connection;
      const kept = isDemo ? request : (within(request, chat) ?? request);
      return origin === undefined ? kept : usagePolicy.apply(origin, kept);
    },
    meter,
    record: (model, usage, demo) => void ledger.record({ model, usage, demo }),
    describe(error, model) {
      log.error('A request failed', error);
      return errors.text(error, model);
    },
    async check(texts) {
      await keys.learned();
      refuseSecrets(texts, redactor);
    },
  };
}

/** An API key belongs in the header of a request, and never in a conversation. */
function refuseSecrets(texts: readonly string[], redactor: Redactor): void {
  if (texts.every((text) => redactor.redact(text) === text)) return;
  throw new UserError(
    vscode.l10n.t(
      'This message or an attachment contains your API key. Remove it, then send again.',
    ),
  );
}
