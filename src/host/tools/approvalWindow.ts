import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/disposable.ts';
import type { DialogSubject } from '../../core/tools/approver.ts';
import type { ApprovalWindow } from './approvalDialog.ts';

const scheme = 'aside-approval';

/** Shows a change in a diff of read-only documents: see `ReviewDiff`. */
export interface ShowDiff {
  show(
    files: readonly { readonly path: string; readonly before: string; readonly after: string }[],
    title: string,
  ): Promise<void>;
}

/** The dialogs and documents of VS Code's window. */
export class VscodeApprovalWindow implements ApprovalWindow, Disposable {
  readonly #diff: ShowDiff;
  readonly #texts = new Map<string, string>();
  readonly #registered: Disposable;
  #count = 0;

  constructor(diff: ShowDiff) {
    this.#diff = diff;
    const provideTextDocumentContent = (uri: vscode.Uri): string => this.#texts.get(uri.path) ?? '';
    this.#registered = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.#texts.delete(uri.path);
      }),
    );
  }

  async ask(
    message: string,
    detail: string,
    buttons: readonly string[],
  ): Promise<string | undefined> {
    const last = buttons.length - 1;
    const items = buttons.map((title, index) => ({ title, isCloseAffordance: index === last }));
    const options = { modal: true, detail };
    const item = await vscode.window.showWarningMessage(message, options, ...items);
    return item?.title;
  }

  async open(subject: DialogSubject, text: string): Promise<void> {
    if (subject.type === 'edit') {
      const { target, before, after } = subject.change;
      const file = { path: target.label, before, after };
      await this.#diff.show([file], vscode.l10n.t('What would change'));
      return;
    }
    // Plain text by its name, so that nothing takes it for more than that.
    const path = `/${++this.#count}/${vscode.l10n.t('What would run')}.txt`;
    this.#texts.set(path, text);
    const uri = vscode.Uri.from({ scheme, path });
    const { document } = await vscode.window.showTextDocument(uri, { preview: true });
    await wrapLines(document);
  }

  async remind(message: string, button: string): Promise<void> {
    await vscode.window.showInformationMessage(message, button);
  }

  dispose(): void {
    this.#texts.clear();
    this.#registered.dispose();
  }
}

/** A command is one line, however long: all of it must be seen without scrolling sideways. */
async function wrapLines(document: vscode.TextDocument): Promise<void> {
  const wraps = vscode.workspace.getConfiguration('editor', document).get('wordWrap');
  if (wraps === 'off') await vscode.commands.executeCommand('editor.action.toggleWordWrap');
}
