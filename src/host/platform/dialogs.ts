import * as vscode from 'vscode';
import { withSignal, TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';

/** Milliseconds for which a message is in the status bar. */
const statusDuration = 5000;

/** Dialogs and notifications outside of the chat. Tests replace them. */
export interface Dialogs {
  /** One line of text; undefined when the person cancels. Not accepted while `check` finds an error. */
  prompt(request: InputRequest): Promise<string | undefined>;
  /** A modal question with several answers; undefined when the person cancels. */
  choose(request: ChoiceRequest): Promise<string | undefined>;
  /**
   * A modal question about an action of the person; false for everything except an explicit yes. Its
   * only button has the focus, so what somebody else asks for is a question with two answers.
   */
  confirm(message: string, detail: string, yes: string): Promise<boolean>;
  /** A modal question with two answers, of which no has the focus; undefined when the person cancels. */
  decide(message: string, detail: string, yes: string, no: string): Promise<boolean | undefined>;
  /** A list to choose from; undefined when the person cancels. */
  pick<T>(choices: readonly PickItem<T>[], title: string): Promise<T | undefined>;
  pickSeveral<T>(choices: readonly PickItem<T>[], title: string): Promise<readonly T[]>;
  /** A notification of an error with one button; undefined when the person closes it. */
  showError(message: string, button: string): Promise<string | undefined>;
  /** A notification that needs no answer. */
  showInformation(message: string): void;
  /** A message in the status bar for some seconds, about an action of the person. */
  showStatus(message: string): void;
  /** Shows progress until the task is done; its signal aborts when the person cancels. */
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface InputRequest {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string | undefined;
  readonly placeholder?: string | undefined;
  /** The reason why the last input was not accepted, shown until the person types. */
  readonly problem?: string | undefined;
  /** Masks the text, as for a password. */
  readonly secret?: boolean | undefined;
  /** Called while the person types. */
  readonly check: (text: string) => ValidationMessage | undefined;
  /** Text to put into the box instead of the typed one; undefined keeps that. */
  readonly replace?: (text: string) => string | undefined;
  /**
   * Text to propose from the clipboard instead of `value`. Not called in browsers, where VS Code
   * would have to ask for permission to read it.
   */
  readonly propose?: (copied: string) => string | undefined;
}

export interface ValidationMessage {
  readonly text: string;
  /** Only an error blocks the input. */
  readonly severity: 'error' | 'warning' | 'information';
}

export interface ChoiceRequest {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly buttons: readonly string[];
}

export interface PickItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly icon?: string;
  readonly value: T;
}

/** A notification, which doesn't block. Resolves with the pressed button, if any. */
export async function notify(
  severity: 'information' | 'warning' | 'error',
  message: string,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const text = escapeNotification(message);
  switch (severity) {
    case 'information':
      return vscode.window.showInformationMessage(text, ...buttons);
    case 'warning':
      return vscode.window.showWarningMessage(text, ...buttons);
    case 'error':
      return vscode.window.showErrorMessage(text, ...buttons);
  }
}

export const windowDialogs: Dialogs = {
  prompt,
  choose,
  confirm,
  async decide(message, detail, yes, no) {
    const answer = await modals.ask({
      severity: 'information',
      message,
      detail,
      buttons: [no, yes],
      harmless: [no, undefined],
    });
    return answer === undefined ? undefined : answer === yes;
  },
  async pick(choices, title) {
    const placeHolder = vscode.l10n.t('Type to filter');
    const options = { title, placeHolder, matchOnDescription: true };
    return (await vscode.window.showQuickPick(choices.map(quickPickItem), options))?.value;
  },
  async pickSeveral(choices, title) {
    const placeHolder = vscode.l10n.t('Select one or more');
    const options = { title, placeHolder, matchOnDescription: true, canPickMany: true as const };
    const picked = await vscode.window.showQuickPick(choices.map(quickPickItem), options);
    return (picked ?? []).map(({ value }) => value);
  },
  async showError(message, button) {
    return notify('error', message, button);
  },
  showInformation(message) {
    background(notify('information', message));
  },
  showStatus(message) {
    vscode.window.setStatusBarMessage(message.replaceAll('$(', '$ ('), statusDuration);
  },
  progress,
};

async function prompt(request: InputRequest): Promise<string | undefined> {
  const proposal = await proposalFor(request);
  const box = vscode.window.createInputBox();
  box.title = request.title;
  box.prompt = request.prompt;
  box.value = proposal ?? request.value ?? '';
  box.placeholder = request.placeholder;
  box.password = request.secret === true;
  // The person may copy the address and the key from another window.
  box.ignoreFocusOut = true;
  if (request.problem !== undefined)
    box.validationMessage = toValidation({ text: request.problem, severity: 'error' });
  else if (proposal !== undefined) box.validationMessage = toValidation(request.check(proposal));
  const answer = answerOf<string>(box, (accept) => [
    box.onDidChangeValue((typed) => {
      const text = request.replace?.(typed) ?? typed;
      if (text !== typed) box.value = text;
      box.validationMessage = text === '' ? undefined : toValidation(request.check(text));
    }),
    box.onDidAccept(() => {
      const message = request.check(box.value);
      box.validationMessage = toValidation(message);
      if (message?.severity !== 'error') accept(box.value);
    }),
  ]);
  box.show();
  return answer;
}

async function proposalFor({ problem, propose }: InputRequest): Promise<string | undefined> {
  const isDesktop = vscode.env.uiKind === vscode.UIKind.Desktop;
  if (propose === undefined || problem !== undefined || !isDesktop) return undefined;
  return propose(await vscode.env.clipboard.readText());
}

function toValidation(
  message: ValidationMessage | undefined,
): vscode.InputBoxValidationMessage | undefined {
  if (message === undefined) return undefined;
  const { Error: error, Warning: warning, Info: information } = vscode.InputBoxValidationSeverity;
  return { message: message.text, severity: { error, warning, information }[message.severity] };
}

async function choose({
  message,
  detail = '',
  buttons,
}: ChoiceRequest): Promise<string | undefined> {
  return modals.ask({ severity: 'warning', message, detail, buttons, harmless: [undefined] });
}

async function confirm(message: string, detail: string, yes: string): Promise<boolean> {
  const buttons = [yes];
  const harmless = [undefined];
  return (await modals.ask({ severity: 'warning', message, detail, buttons, harmless })) === yes;
}

function quickPickItem<T>({ label, description = '', icon, value }: PickItem<T>): {
  readonly label: string;
  readonly description: string;
  readonly value: T;
} {
  return { label: icon === undefined ? label : `$(${icon}) ${label}`, description, value };
}

async function progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) => withSignal(token, task));
}

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

/**
 * Resolves with the answer of a quick pick or an input box; undefined if it closes without one.
 * Disposes the input afterwards.
 *
 * @param listen adds the listeners, which are disposed with the input, and passes on the answer
 */
export function answerOf<T>(
  input: vscode.QuickInput,
  listen: (answer: (value: T) => void) => readonly Disposable[],
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const answer = (value: T): void => {
      resolve(value);
      input.hide();
    };
    const disposables = [
      input,
      ...listen(answer),
      input.onDidHide(() => {
        resolve(undefined);
        for (const disposable of disposables) disposable.dispose();
      }),
    ];
  });
}
