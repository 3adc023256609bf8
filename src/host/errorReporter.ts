import * as vscode from 'vscode';
import type { Remedy } from '../core/conversation/conversation.ts';
import { systemClock } from '../core/support/clock.ts';
import type { Redactor } from '../core/support/redact.ts';
import { commands } from './contributions.ts';
import { notify } from './dialogs.ts';
import { errorText, type ErrorText } from './errorText.ts';
import { UserError } from './errors.ts';
import type { Log } from './log.ts';

export interface ErrorReporterOptions {
  readonly redactor: Redactor;
  readonly log: Log;
  /** The current `aside.requestTimeoutSeconds`. */
  readonly silenceSeconds: () => number;
}

/** Turns errors into texts, and shows them as notifications outside the panel. */
export class ErrorReporter {
  readonly #options: ErrorReporterOptions;

  constructor(options: ErrorReporterOptions) {
    this.#options = options;
  }

  /** @param model the model of the request, if it had one */
  text(error: unknown, model?: string): ErrorText {
    return errorText(error, {
      redact: this.#options.redactor.redactError,
      now: systemClock.wall(),
      language: vscode.env.language,
      model,
      silenceSeconds: this.#options.silenceSeconds(),
    });
  }

  /** The text for a page whose request was rejected. Errors that are no refusal are logged. */
  readonly refusal = (error: unknown): string => {
    if (error instanceof UserError) return error.message;
    const { kind, message } = this.text(error);
    if (kind !== 'refused' && kind !== 'stopped')
      this.#options.log.error('A request of a page', error);
    return message;
  };

  /** Shows the error with its remedy as a button, and writes it to the log. */
  async show(error: unknown, what: string, tryAgain?: () => unknown): Promise<void> {
    const { message, remedy, kind } = this.text(error);
    if (kind === 'stopped') return;
    if (kind !== 'refused') this.#options.log.error(what, error);
    const hasButton = kind !== 'refused' || remedy !== undefined;
    const button = hasButton ? this.#button(remedy, tryAgain) : undefined;
    const buttons = button === undefined ? [] : [button.label];
    const chosen = await notify('error', message, ...buttons);
    if (chosen !== undefined) await button?.run();
  }

  #button(
    remedy: Remedy | undefined,
    tryAgain: (() => unknown) | undefined,
  ): { label: string; run: () => unknown } | undefined {
    const command = (label: string, id: string): { label: string; run: () => unknown } => ({
      label,
      run: () => vscode.commands.executeCommand(id),
    });
    switch (remedy) {
      case 'set-api-key':
        return command(vscode.l10n.t('Set API Key'), commands.setApiKey);
      case 'select-model':
        return command(vscode.l10n.t('Select Model'), commands.selectModel);
      case 'open-console':
        return command(vscode.l10n.t('Open Console'), commands.openConsole);
      case 'new-chat':
        return command(vscode.l10n.t('New Chat'), commands.newChat);
      case 'connect':
        return command(vscode.l10n.t('Connect'), commands.connect);
      case 'raise-budget':
      case 'raise-chat-budget':
        return { label: vscode.l10n.t('Raise Budget…'), run: raiseBudget };
      case 'try-again':
        return tryAgain === undefined
          ? undefined
          : { label: vscode.l10n.t('Try Again'), run: tryAgain };
      case 'without-tools':
      case undefined:
        return command(vscode.l10n.t('Show Log'), commands.showLog);
    }
  }
}

/** Asks for another budget. */
export async function raiseBudget(): Promise<void> {
  await vscode.commands.executeCommand(commands.setBudget);
}
