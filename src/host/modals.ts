import * as vscode from 'vscode';
import { TaskQueue } from '../core/support/async.ts';
import { systemClock, type Clock } from '../core/support/clock.ts';

/**
 * Milliseconds after which a modal dialog accepts an answer: an earlier one was meant for what was
 * there before.
 */
export const minResponseDelay = 700;

/** Maximum number of times that a question is shown. After it, the answer is undefined. */
export const maxTimesShown = 8;

export interface ModalQuestion {
  readonly severity: 'information' | 'warning';
  readonly message: string;
  readonly detail: string;
  /**
   * VS Code adds Cancel, which Escape means, and gives the focus to the first button. So what allows
   * something that the person did not start comes after the button that refuses it.
   */
  readonly buttons: readonly string[];
  /** Answers that count at once, since they allow nothing. Undefined is Cancel. */
  readonly harmless: readonly (string | undefined)[];
}

/** Shows a modal dialog. Resolves when it has closed, with the pressed button. */
type ShowModal = (question: ModalQuestion) => PromiseLike<string | undefined>;

/**
 * Asks in modal dialogs, one at a time: VS Code shows one only when the one before has closed, but
 * tells nobody when. So each waits here until the one before it has closed, and only then is shown
 * and its time begins. An answer that comes before `minResponseDelay` is ignored, unless it is
 * harmless, and the dialog comes again with a notice before any other is shown (threats: T31).
 */
export class Modals {
  readonly #queue = new TaskQueue();
  readonly #show: ShowModal;
  readonly #clock: Clock;

  constructor(show: ShowModal, clock: Clock) {
    this.#show = show;
    this.#clock = clock;
  }

  /**
   * Resolves with the pressed button; undefined for Cancel, or if every answer came too soon.
   * Rejects, and shows nothing, once the signal has aborted.
   */
  ask(question: ModalQuestion, signal?: AbortSignal): Promise<string | undefined> {
    return this.#queue.run(() => this.#askUntilDeliberate(question, signal));
  }

  async #askUntilDeliberate(
    question: ModalQuestion,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const notice = vscode.l10n.t(
      'Your last response came too quickly and was ignored. Respond again.',
    );
    // At its end, next to the buttons.
    const detailAgain = [question.detail, notice].filter((part) => part !== '').join('\n\n');
    for (let attempt = 0; attempt < maxTimesShown; attempt++) {
      signal?.throwIfAborted();
      const shownAt = this.#clock.monotonic();
      const detail = attempt === 0 ? question.detail : detailAgain;
      const answer = await this.#show({ ...question, detail });
      const isDeliberate = this.#clock.monotonic() - shownAt >= minResponseDelay;
      if (isDeliberate || question.harmless.includes(answer)) return answer;
    }
    return undefined;
  }
}

/** All modal dialogs of Aside in this window. */
export const modals = new Modals(async ({ severity, message, detail, buttons }) => {
  const show =
    severity === 'warning'
      ? vscode.window.showWarningMessage
      : vscode.window.showInformationMessage;
  return show(escapeNotification(message), { modal: true, detail }, ...buttons);
}, systemClock);

/**
 * A message of VS Code turns `[text](command:…)` into a link that runs the command. A text of the
 * service must not contain such a link, so a space separates the two brackets.
 */
export function escapeNotification(text: string): string {
  return text.replaceAll('](', '] (');
}
