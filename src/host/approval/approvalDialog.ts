import * as vscode from 'vscode';
import type { DialogResponse, DialogRequest, ApprovalSubject } from '../../core/approval/gate.ts';
import { notify, windowDialogs, modals } from '../dialogs.ts';
import type { DiffViewer, TextViewer } from '../workspace/readOnlyDocuments.ts';
import { dialogContent, offerButton, type DialogContent, type RunsAs } from './approvalText.ts';

interface ApprovalWindow {
  /**
   * Shows a modal dialog, with the focus on the first button. Resolves with an answer that no press
   * from before gave; undefined for Cancel. Rejects once the signal has aborted.
   */
  ask(
    message: string,
    detail: string,
    buttons: readonly string[],
    signal: AbortSignal,
  ): PromiseLike<string | undefined>;
  /** Opens a text that is too long for the dialog in a read-only editor. */
  open(subject: ApprovalSubject, text: string): PromiseLike<void>;
  /** Asks in one line why the person denies the call; undefined if they close the input. */
  reason(): PromiseLike<string | undefined>;
  /** Shows a notification that does not block, until the person wants the dialog again. */
  remind(message: string, button: string): PromiseLike<unknown>;
}

interface ApprovalDialogOptions {
  readonly dialogs: ApprovalWindow;
  readonly runsAs: RunsAs;
  /** Returns the name of the calling chat if there are several; otherwise an empty text. */
  readonly nameOf?: ((conversation: string | undefined) => string) | undefined;
  /** True if a model reads why a call is denied. */
  readonly takesReason?: boolean;
}

/** Asks in the dialog, and closes the diff that was shown for it. */
export async function askWithDiff(
  dialog: ApprovalDialog,
  diff: DiffViewer,
  request: DialogRequest,
  signal: AbortSignal,
): Promise<DialogResponse> {
  try {
    return await dialog.ask(request, signal);
  } finally {
    await diff.close();
  }
}

/**
 * Asks for approval in VS Code's modal dialog, which neither the view nor the model can respond to.
 */
export class ApprovalDialog {
  readonly #options: ApprovalDialogOptions;

  constructor(options: ApprovalDialogOptions) {
    this.#options = options;
  }

  /** Every answer but a button that allows is a denial. Rejects once the signal aborts. */
  async ask(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse> {
    const { dialogs, runsAs, nameOf } = this.#options;
    const chat = nameOf?.(request.conversation);
    const content = dialogContent(request, runsAs, vscode.env.language, chat);
    if (content.longText !== undefined) await dialogs.open(request.subject, content.longText);
    const offers = new Map(request.offers.map((offer) => [offerButton(offer), offer]));
    const answer = await this.#showUntilResponse(content, [...offers.keys()], signal);
    signal.throwIfAborted();
    if (answer === vscode.l10n.t('Allow Once')) return { type: 'once' };
    if (answer === vscode.l10n.t('Give a Reason…')) {
      const reason = await dialogs.reason();
      signal.throwIfAborted();
      return { type: 'deny', reason };
    }
    const offer = offers.get(answer ?? '');
    return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
  }

  /** Shows the dialog until its answer is not Preview. */
  async #showUntilResponse(
    { message, detail, longText }: DialogContent,
    offers: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { dialogs, takesReason = false } = this.#options;
    const preview = longText === undefined ? [] : [vscode.l10n.t('Preview')];
    const reason = takesReason ? [vscode.l10n.t('Give a Reason…')] : [];
    const allow = [vscode.l10n.t('Allow Once'), ...offers];
    const buttons = [vscode.l10n.t('Deny'), ...allow, ...preview, ...reason];
    for (;;) {
      const answer = await dialogs.ask(message, detail, buttons, signal);
      if (answer === undefined || !preview.includes(answer)) return answer;
      // Stopped while the dialog was open, which VS Code can't close.
      signal.throwIfAborted();
      await this.#remind(message, signal);
    }
  }

  /** Resolves when the person closes the notification, or when the signal aborts. */
  #remind(message: string, signal: AbortSignal): Promise<unknown> {
    const { dialogs } = this.#options;
    const stopped = new Promise((resolve) =>
      signal.addEventListener('abort', resolve, { once: true }),
    );
    return Promise.race([dialogs.remind(message, vscode.l10n.t('Review…')), stopped]);
  }
}

export class VscodeApprovalWindow implements ApprovalWindow {
  readonly #diff: DiffViewer;
  readonly #documents: TextViewer;

  constructor(diff: DiffViewer, documents: TextViewer) {
    this.#diff = diff;
    this.#documents = documents;
  }

  async ask(
    message: string,
    detail: string,
    buttons: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    // Not even a denial is taken from a press that was meant for something else.
    return modals.ask({ severity: 'warning', message, detail, buttons, harmless: [] }, signal);
  }

  async open(subject: ApprovalSubject, text: string): Promise<void> {
    if (subject.type === 'edit') {
      const { target, before, after } = subject.change;
      const file = { path: target.label, before, after };
      await this.#diff.show([file], vscode.l10n.t('Proposed Change'));
      return;
    }
    const name = `${vscode.l10n.t('Full Text')}.txt`;
    await wrapLines(await this.#documents.show(name, text, 'plaintext'));
  }

  reason(): Promise<string | undefined> {
    return windowDialogs.prompt({
      title: vscode.l10n.t('Deny'),
      prompt: vscode.l10n.t('Reason for the model'),
      check: () => undefined,
    });
  }

  async remind(message: string, button: string): Promise<void> {
    await notify('information', message, button);
  }
}

/** Wraps lines in the active editor: a command is one line, and all of it must be visible. */
async function wrapLines(document: vscode.TextDocument): Promise<void> {
  const wraps = vscode.workspace.getConfiguration('editor', document).get('wordWrap');
  if (wraps === 'off') await vscode.commands.executeCommand('editor.action.toggleWordWrap');
}
