import type { l10n } from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import type { DialogAnswer, DialogQuestion, DialogSubject } from '../../core/tools/approver.ts';
import { dialogWords, type DialogWords, type RunsAs } from './approvalWords.ts';
import { offerButton } from './grantWords.ts';

/** An answer sooner than this, in milliseconds, was meant for something else: a key still typed. */
export const soonestAnswer = 700;

/** So often a dialog that is gone too soon is shown again: where none can be shown, that means no. */
export const mostShown = 8;

/** The window, as far as approvals need it. */
export interface ApprovalWindow {
  /** Shows a modal dialog with the buttons in this order; the last one is what Escape means. */
  ask(message: string, detail: string, buttons: readonly string[]): PromiseLike<string | undefined>;
  /** Opens in the editor, read-only, what is too long for the dialog. */
  open(subject: DialogSubject, text: string): PromiseLike<void>;
  /** Waits beside the person's work until they want the dialog again. */
  remind(message: string, button: string): PromiseLike<unknown>;
}

export interface ApprovalDialogOptions {
  readonly dialogs: ApprovalWindow;
  readonly runsAs: RunsAs;
  readonly clock: Clock;
  readonly l10n: Pick<typeof l10n, 't'>;
}

/** Asks in VS Code's own modal dialog, which neither the view nor the model can answer. */
export class ApprovalDialog {
  readonly #options: ApprovalDialogOptions;

  constructor(options: ApprovalDialogOptions) {
    this.#options = options;
  }

  /** Whatever is no button that allows means no, and so does everything after Stop. */
  async ask(question: DialogQuestion, signal: AbortSignal): Promise<DialogAnswer> {
    const { dialogs, runsAs, l10n } = this.#options;
    const said = dialogWords(question, runsAs, l10n);
    if (said.longText !== undefined) await dialogs.open(question.subject, said.longText);
    const offers = new Map(question.offers.map((offer) => [offerButton(offer, l10n), offer]));
    const answer = await this.#answer(said, [...offers.keys()], signal);
    signal.throwIfAborted();
    if (answer === l10n.t('Allow Once')) return { type: 'once' };
    const offer = offers.get(answer ?? '');
    return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
  }

  /** Shows the dialog until it is answered by somebody who could have read it. */
  async #answer(
    { message, detail, longText }: DialogWords,
    offers: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { dialogs, clock, l10n } = this.#options;
    const look = longText === undefined ? [] : [l10n.t('Look at It First')];
    const buttons = [l10n.t('Allow Once'), ...offers, ...look, l10n.t('Deny')];
    for (let tooSoon = 0; tooSoon < mostShown;) {
      signal.throwIfAborted();
      const opened = clock.monotonic();
      const answer = await dialogs.ask(message, detail, buttons);
      if (clock.monotonic() - opened < soonestAnswer) {
        tooSoon += 1;
        continue;
      }
      if (answer === undefined || !look.includes(answer)) return answer;
      await this.#remind(message, signal);
    }
    return undefined;
  }

  /** A notification that is swept away asks again; one that is left alone waits, until Stop. */
  #remind(message: string, signal: AbortSignal): Promise<unknown> {
    const { dialogs, l10n } = this.#options;
    const stopped = new Promise((resolve) =>
      signal.addEventListener('abort', resolve, { once: true }),
    );
    return Promise.race([dialogs.remind(message, l10n.t('Decide…')), stopped]);
  }
}
