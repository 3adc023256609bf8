import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { report } from '../../core/support/background.ts';
import { UserError } from '../errors.ts';
import type { Consents } from '../approval/consents.ts';

/** The initiator of a request that VS Code itself sends. */
const vsCodeItself = 'core';

const initiated = z.object({
  requestInitiator: z.string().check(z.regex(/^[\w.-]{1,200}$/)),
});

/**
 * Sender of a request: the id of an extension in lower case, `core` for VS Code itself, or
 * `unknown`. VS Code passes it in a field that isn't in its types.
 *
 * @param options `ProvideLanguageModelChatResponseOptions`, not validated yet
 */
export function callerOf(options: unknown): string {
  return initiated.safeParse(options).data?.requestInitiator ?? 'unknown';
}

/** The person did not let a caller use the service. */
export class CallerNotAllowed extends UserError {}

interface CallerApprovalOptions {
  readonly consents: Consents;
}

/** Asks once per window whether a caller may use a paid service. */
export class CallerApproval {
  readonly #options: CallerApprovalOptions;

  constructor(options: CallerApprovalOptions) {
    this.#options = options;
  }

  /**
   * Resolves if the person allows it. Concurrent requests wait for the same answer.
   *
   * @param host of the service
   * @throws {CallerNotAllowed}
   */
  async approve(caller: string, host: string): Promise<void> {
    if (await this.#isAllowed(caller, host)) return;
    throw new CallerNotAllowed(
      vscode.l10n.t(
        "Not sent: {0} isn't allowed to use {1}. Reload the window to be asked again.",
        this.#name(caller),
        host,
      ),
    );
  }

  async #isAllowed(caller: string, host: string): Promise<boolean> {
    const subject = { kind: 'caller', path: `${host} ${caller}`, hash: '' } as const;
    const question = {
      message: vscode.l10n.t('Allow {0} to use the models of {1}?', this.#name(caller), host),
      detail: vscode.l10n.t(
        'Requests use your API key and count toward your budget. This applies until the window is closed or reloaded.',
      ),
      yes: vscode.l10n.t('Allow'),
      no: vscode.l10n.t('Deny'),
      isClosingNo: true,
    };
    try {
      return (await this.#options.consents.allows(subject, question)) === true;
    } catch (error) {
      report(error);
      return false;
    }
  }

  #name(caller: string): string {
    if (caller === vsCodeItself) return 'VS Code';
    return caller === 'unknown'
      ? vscode.l10n.t('another extension')
      : vscode.l10n.t('the extension {0}', caller);
  }
}
