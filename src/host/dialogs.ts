import * as vscode from 'vscode';
import { disposeAll } from '../core/support/event.ts';

/** What the flows of the connection ask of a person, so that tests can answer in their place. */
export interface Dialogs {
  /** One line of text; undefined when the person cancels. Not accepted while `check` objects. */
  prompt(request: InputRequest): Promise<string | undefined>;
  /** A question that the flow cannot go on without; undefined when the person cancels. */
  choose(request: ChoiceRequest): Promise<string | undefined>;
  /** Says that something went wrong, with one way on; undefined when that was not taken. */
  showError(message: string, button: string): Promise<string | undefined>;
  /** Says something that needs no answer. */
  showInformation(message: string): void;
  /** Shows that something goes on; the signal aborts when the person cancels. */
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface InputRequest {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Shows dots in place of what is typed. */
  readonly secret?: boolean | undefined;
  /** Called as one types. */
  readonly check: (text: string) => ValidationMessage | undefined;
}

export interface ValidationMessage {
  readonly text: string;
  /** A warning is shown, and the text is accepted all the same. */
  readonly severity: 'error' | 'warning';
}

export interface ChoiceRequest {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly buttons: readonly string[];
}

/** The dialogs of VS Code's window. */
export const windowDialogs: Dialogs = {
  prompt: ask,
  choose,
  async showError(message, button) {
    return vscode.window.showErrorMessage(escapeNotification(message), button);
  },
  showInformation(message) {
    void vscode.window.showInformationMessage(escapeNotification(message));
  },
  progress,
};

function ask(request: InputRequest): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = request.title;
  box.prompt = request.prompt;
  box.value = request.value ?? '';
  box.placeholder = request.placeholder;
  box.password = request.secret === true;
  // The person leaves to fetch the address and the key from somewhere.
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const objection = (): ValidationMessage | undefined => request.check(box.value);
    const disposables = [
      box,
      box.onDidChangeValue((text) => {
        box.validationMessage = text === '' ? undefined : toValidation(objection());
      }),
      box.onDidAccept(() => {
        const found = objection();
        box.validationMessage = toValidation(found);
        if (found?.severity === 'error') return;
        resolve(box.value);
        box.hide();
      }),
      box.onDidHide(() => {
        resolve(undefined);
        disposeAll(disposables);
      }),
    ];
    box.show();
  });
}

function toValidation(
  objection: ValidationMessage | undefined,
): vscode.InputBoxValidationMessage | undefined {
  if (objection === undefined) return undefined;
  const { Error, Warning } = vscode.InputBoxValidationSeverity;
  return {
    message: objection.text,
    severity: objection.severity === 'error' ? Error : Warning,
  };
}

async function choose(request: ChoiceRequest): Promise<string | undefined> {
  const { message, detail, buttons } = request;
  const options = { modal: true, ...(detail === undefined ? {} : { detail }) };
  return vscode.window.showWarningMessage(message, options, ...buttons);
}

async function progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    const listening = token.onCancellationRequested(() => abort.abort());
    try {
      return await task(abort.signal);
    } finally {
      listening.dispose();
    }
  });
}

/**
 * A notification turns `[text](command:…)` into a link that runs the command. What comes from a
 * service must not get that far, so the two brackets are kept apart.
 */
export function escapeNotification(text: string): string {
  return text.replaceAll('](', '] (');
}
