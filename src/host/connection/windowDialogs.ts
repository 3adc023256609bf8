import * as vscode from 'vscode';
import { disposeAll } from '../../core/support/disposable.ts';
import { withoutLinks } from '../withoutLinks.ts';
import type { ChoiceQuestion, Dialogs, Objection, TextQuestion } from './dialogs.ts';

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
