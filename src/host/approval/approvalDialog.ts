import * as vscode from 'vscode';
import type { l10n } from 'vscode';
import type { DialogResponse, DialogRequest, ApprovalSubject } from '../../core/approval/gate.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { dialogContent, offerButton, type DialogContent, type RunsAs } from './approvalText.ts';

/** An answer sooner than this, in milliseconds, was meant for something else: a key still typed. */
export const minResponseDelay = 700;

/** So often a dialog that is gone too soon is shown again: where none can be shown, that means no. */
export const maxTimesShown = 8;

/** The window, as far as approvals need it. */
interface ApprovalWindow {
  /** Shows a modal dialog with the buttons in this order; the last one is what Escape means. */
  ask(message: string, detail: string, buttons: readonly string[]): PromiseLike<string | undefined>;
  /** Opens in the editor, read-only, what is too long for the dialog. */
  open(subject: ApprovalSubject, text: string): PromiseLike<void>;
  /** Waits beside the person's work until they want the dialog again. */
  remind(message: string, button: string): PromiseLike<unknown>;
}

interface ApprovalDialogOptions {
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
  async ask(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse> {
    const { dialogs, runsAs, l10n } = this.#options;
    const said = dialogContent(request, runsAs, l10n);
    if (said.longText !== undefined) await dialogs.open(request.subject, said.longText);
    const offers = new Map(request.offers.map((offer) => [offerButton(offer, l10n), offer]));
    const answer = await this.#showUntilResponse(said, [...offers.keys()], signal);
    signal.throwIfAborted();
    if (answer === l10n.t('Allow Once')) return { type: 'once' };
    const offer = offers.get(answer ?? '');
    return offer === undefined ? { type: 'deny' } : { type: 'grant', offer };
  }

  /** Shows the dialog until it is answered by somebody who could have read it. */
  async #showUntilResponse(
    { message, detail, longText }: DialogContent,
    offers: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { dialogs, clock, l10n } = this.#options;
    const preview = longText === undefined ? [] : [l10n.t('Preview')];
    const buttons = [l10n.t('Allow Once'), ...offers, ...preview, l10n.t('Deny')];
    for (let tooSoon = 0; tooSoon < maxTimesShown;) {
      signal.throwIfAborted();
      const opened = clock.monotonic();
      const answer = await dialogs.ask(message, detail, buttons);
      if (clock.monotonic() - opened < minResponseDelay) {
        tooSoon += 1;
        continue;
      }
      if (answer === undefined || !preview.includes(answer)) return answer;
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
    return Promise.race([dialogs.remind(message, l10n.t('Review…')), stopped]);
  }
}

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

  async open(subject: ApprovalSubject, text: string): Promise<void> {
    if (subject.type === 'edit') {
      const { target, before, after } = subject.change;
      const file = { path: target.label, before, after };
      await this.#diff.show([file], vscode.l10n.t('Proposed Change'));
      return;
    }
    // Plain text by its name, so that nothing takes it for more than that.
    const path = `/${++this.#count}/${vscode.l10n.t('Full Text')}.txt`;
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
