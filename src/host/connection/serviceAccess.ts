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

/** What whoever asks the service has in common: the client, the counting, the words for errors. */
export interface ServiceAccess {
  /**
   * The service to ask now; rejects where there is none. No known key occurs in its replies, and
   * what it is sent stays within the budgets.
   *
   * @param chat tells what the chat used that asks
   */
  readonly connect: (
    chat?: () => UsageByModel,
  ) => Promise<{ readonly client: Client; readonly demo: boolean }>;
  /** A request as the service of the moment would get it. */
  readonly asSent: (request: CompletionRequest, chat?: () => UsageByModel) => CompletionRequest;
  readonly meter: TokenMeter;
  /** Counts what a request used. */
  readonly record: (model: string, usage: Usage, demo: boolean) => void;
  /** Words and a remedy for an error, which is written to the log. */
  readonly describe: (error: unknown, model: string) => TurnError;
  /** Rejects, with words for the person, where one of these texts must not be sent. */
  readonly check: (texts: readonly string[]) => Promise<void>;
}

interface ServiceAccessOptions {
  readonly connection: Connection;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Prices, and words for a budget that is used up. */
  readonly usage: () => UsageContext;
}

/** Access to the service of the moment. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { connection, settings, errors, ledger, ratios, log, redactor } = options;
  const usagePolicy = new StreamUsagePolicy();
  // A key that was stored in an earlier session must be known before anything is asked or kept.
  const learnKey = (): Promise<unknown> => connection.endpoint().catch(() => undefined);
  let known = learnKey();
  connection.onDidChange(() => {
    known = learnKey();
  });
  const meter: TokenMeter = {
    estimate: (model, characters) => ratios.estimateTokens(model, characters),
    learn: (model, characters, tokens) => void ratios.learn(model, characters, tokens),
  };
  const keep = (request: CompletionRequest, chat?: () => UsageByModel): CompletionRequest => {
    const { budget } = settings.current();
    const context = options.usage();
    return applyBudget(request, { budget, day: ledger.today, chat: chat?.(), meter, context });
  };
  /** Undefined where it would not be sent. */
  const within = (...given: Parameters<typeof keep>): CompletionRequest | undefined => {
    try {
      return keep(...given);
    } catch {
      return undefined;
    }
  };
  return {
    async connect(chat) {
      const { demo, ...endpoint } = await connection.endpoint();
      const silenceLimit = settings.current().requestTimeoutSeconds * 1000;
      const client = createClient({ ...endpoint, clock: systemClock, silenceLimit, usagePolicy });
      const redacted = redactedClient(client, redactor);
      // What costs nothing counts in no budget.
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
      await known;
      refuseSecrets(texts, redactor);
    },
  };
}

/** A key of the person's belongs in the header of a request, and never into a conversation. */
function refuseSecrets(texts: readonly string[], redactor: Redactor): void {
  if (texts.every((text) => redactor.redact(text) === text)) return;
  throw new UserError(
    vscode.l10n.t(
      'This message or an attachment contains your API key. Remove it, then send again.',
    ),
  );
}
