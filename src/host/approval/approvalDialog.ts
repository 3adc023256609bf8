import * as vscode from 'vscode';
import type { ApprovalSubject, DialogRequest, DialogResponse } from '../../core/approval/gate.ts';
import { notify, windowDialogs, modals } from '../platform/dialogs.ts';
import type { DiffViewer, TextViewer } from '../platform/readOnlyDocuments.ts';
import { dialogContent, offerButton, type RunsAs } from './approvalText.ts';

/** What an approval shows in VS Code's window. */
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
  /** Closes the diff of a change that was opened. */
  close(): PromiseLike<void>;
  /** Asks in one line why the person denies the call; undefined if they close the input. */
  reason(): PromiseLike<string | undefined>;
  /** Shows a notification that does not block, until the person wants the dialog again. */
  remind(message: string, button: string): PromiseLike<unknown>;
}

/**
 * Asks for approval in VS Code's modal dialog, which neither the view nor the model can respond to.
 */
export class ApprovalDialog {
  readonly #window: ApprovalWindow;
  readonly #runsAs: RunsAs;
  readonly #nameOf: ((conversation: string | undefined) => string) | undefined;

  /**
   * @param nameOf returns the name of the calling chat if there are several, otherwise an empty
   *   text; undefined if the person's own command asks, so that no model reads a reason
   */
  constructor(
    window: ApprovalWindow,
    runsAs: RunsAs,
    nameOf?: (conversation: string | undefined) => string,
  ) {
    this.#window = window;
    this.#runsAs = runsAs;
    this.#nameOf = nameOf;
  }

  /** Every answer but a button that allows is a denial. Rejects once the signal aborts. */
  async ask(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse> {
    const chat = this.#nameOf?.(request.conversation);
    const content = dialogContent(request, this.#runsAs, chat);
    const { message, detail, longText } = content;
    const allowOnce = vscode.l10n.t('Allow Once');
    const preview = vscode.l10n.t('Preview');
    const giveReason = vscode.l10n.t('Give a Reason…');
    const offers = new Map(request.offers.map((offer) => [offerButton(offer), offer]));
    const buttons = [
      ...[vscode.l10n.t('Deny'), allowOnce, ...offers.keys()],
      ...(longText === undefined ? [] : [preview]),
      ...(this.#nameOf === undefined ? [] : [giveReason]),
    ];
    try {
      if (longText !== undefined) await this.#window.open(request.subject, longText);
      let answer = await this.#window.ask(message, detail, buttons, signal);
      while (longText !== undefined && answer === preview) {
        // Stopped while the dialog was open, which VS Code can't close.
        signal.throwIfAborted();
        const stopped = new Promise((resolve) =>
          signal.addEventListener('abort', resolve, { once: true }),
        );
        await Promise.race([this.#window.remind(message, vscode.l10n.t('Review…')), stopped]);
        answer = await this.#window.ask(message, detail, buttons, signal);
      }
      signal.throwIfAborted();
      if (answer === allowOnce) return { type: 'once' };
      if (answer === giveReason) {
        const reason = await this.#window.reason();
        signal.throwIfAborted();
        return { type: 'deny', reason };
      }
      const offer = offers.get(answer ?? '');
      return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
    } finally {
      await this.#window.close();
    }
  }
}

export class VscodeApprovalWindow implements ApprovalWindow {
  readonly #diff: DiffViewer;
  readonly #documents: TextViewer;

  constructor(diff: DiffViewer, documents: TextViewer) {
    this.#diff = diff;
    this.#documents = documents;
  }

  ask(
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
    const document = await this.#documents.show(name, text, 'plaintext');
    // A command is one line, and all of it must be visible.
    const wraps = vscode.workspace.getConfiguration('editor', document).get('wordWrap');
    if (wraps === 'off') await vscode.commands.executeCommand('editor.action.toggleWordWrap');
  }

  close(): Promise<void> {
    return this.#diff.close();
  }

  reason(): Promise<string | undefined> {
    return windowDialogs.prompt({
      title: vscode.l10n.t('Deny'),
      prompt: vscode.l10n.t('Reason for the model'),
      check: () => undefined,
    });
  }

  remind(message: string, button: string): Promise<unknown> {
    return notify('information', message, button);
  }
}
