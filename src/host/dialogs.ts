import * as vscode from 'vscode';
import { disposeAll } from '../core/support/event.ts';

/** What the flows of the connection ask of a person, so that tests can answer in their place. */
export interface Dialogs {
  /** One line of text; undefined when the person cancels. Not accepted while `check` objects. */
  ask(question: TextQuestion): Promise<string | undefined>;
  /** A question that the flow cannot go on without; undefined when the person cancels. */
  choose(question: ChoiceQuestion): Promise<string | undefined>;
  /** Says that something went wrong, with one way on; undefined when that was not taken. */
  refuse(message: string, button: string): Promise<string | undefined>;
  /** Says something that needs no answer. */
  tell(message: string): void;
  /** Shows that something goes on; the signal aborts when the person cancels. */
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Shows dots in place of what is typed. */
  readonly secret?: boolean | undefined;
  /** Called as one types. */
  readonly check: (text: string) => Objection | undefined;
}

export interface Objection {
  readonly text: string;
  /** A warning is shown, and the text is accepted all the same. */
  readonly severity: 'error' | 'warning';
}

export interface ChoiceQuestion {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly buttons: readonly string[];
}

/** The dialogs of VS Code's window. */
export const windowDialogs: Dialogs = {
  ask,
  choose,
  async refuse(message, button) {
    return vscode.window.showErrorMessage(withoutLinks(message), button);
  },
  tell(message) {
    void vscode.window.showInformationMessage(withoutLinks(message));
  },
  progress,
};

function ask(question: TextQuestion): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = question.title;
  box.prompt = question.prompt;
  box.value = question.value ?? '';
  box.placeholder = question.placeholder;
  box.password = question.secret === true;
  // The person leaves to fetch the address and the key from somewhere.
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const objection = (): Objection | undefined => question.check(box.value);
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
  objection: Objection | undefined,
): vscode.InputBoxValidationMessage | undefined {
  if (objection === undefined) return undefined;
  const { Error, Warning } = vscode.InputBoxValidationSeverity;
  return {
    message: objection.text,
    severity: objection.severity === 'error' ? Error : Warning,
  };
}

async function choose(question: ChoiceQuestion): Promise<string | undefined> {
  const { message, detail, buttons } = question;
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
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
