import * as vscode from 'vscode';
import type { EditDecision } from '../../core/code/rowSteps.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { contextKeys } from '../contributions.ts';
import { UserError } from '../errors.ts';
import { decide, goTo } from './decisions.ts';
import { DocumentWriter } from './documentWriter.ts';
import { answerCode, type EditPlace, type InlineEdits, type ProduceText } from './inlineEdits.ts';
import { rejectBeforeSave, revertClosed } from './rejectBeforeSave.ts';
import { Review, type ProduceCode } from './review.ts';
import { ReviewLenses } from './reviewLenses.ts';
import { ReviewMarks } from './reviewMarks.ts';
import { isShown } from './shown.ts';

/** All open edits, with their decorations and CodeLenses. */
export class OpenEdits implements InlineEdits, Disposable {
  readonly #writers = new Map<vscode.TextDocument, DocumentWriter>();
  #reviews: readonly Review[] = [];
  /** The values of context keys that were set in VS Code. */
  readonly #told = new Map<string, boolean>();
  readonly #marks = new ReviewMarks();
  readonly #lenses = new ReviewLenses((document) => this.#reviewsOf(document));
  readonly #disposables: readonly Disposable[];

  constructor() {
    const { workspace } = vscode;
    this.#disposables = [
      this.#marks,
      this.#lenses,
      vscode.languages.registerCodeLensProvider({ pattern: '**' }, this.#lenses),
      workspace.onDidChangeTextDocument((event) => this.#writers.get(event.document)?.hear(event)),
      workspace.onWillSaveTextDocument((event) =>
        rejectBeforeSave(event, this.#reviewsOf(event.document), this),
      ),
      workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#afterClose(closed)),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#marks.renew();
        this.#draw();
      }),
    ];
  }

  stream(place: EditPlace, produce: ProduceText): Promise<void> {
    return this.#show(place, answerCode(place, produce));
  }

  propose(place: EditPlace, code: string): Promise<void> {
    return this.#show(place, (onCode) => {
      onCode(code);
      return Promise.resolve();
    });
  }

  decide(side: EditDecision, given?: unknown): Promise<void> {
    return decide(this.#reviews, side, given);
  }

  /** Leaves the texts unchanged: nothing can be written while the window closes. */
  dispose(): void {
    for (const review of this.#reviews) review.dispose();
    disposeAll(this.#disposables);
  }

  async #show(place: EditPlace, produce: ProduceCode): Promise<void> {
    const { document } = place;
    this.#refuseOverlap(place);
    const review = new Review(this.#writerOf(document), place);
    this.#reviews = [...this.#reviews, review];
    review.onDidChange((phase) => this.#hear(review, phase));
    this.#renew(document, true);
    if (!isShown(document)) await vscode.window.showTextDocument(document, { preview: false });
    unselect(place);
    await review.stream(produce);
    if (!review.isUnchanged) return;
    void vscode.window.showInformationMessage(vscode.l10n.t('No changes suggested.'));
  }

  #refuseOverlap({ document, start, end }: EditPlace): void {
    const isNear = ({ phase, rows }: Review): boolean =>
      phase !== 'undone' && start <= rows.end && rows.start <= end;
    if (!this.#reviewsOf(document).some(isNear)) return;
    throw new UserError(
      vscode.l10n.t("There's already a pending change here. Accept or reject it first."),
    );
  }

  #reviewsOf(document: vscode.TextDocument): readonly Review[] {
    return this.#reviews.filter((review) => review.document === document);
  }

  #writerOf(document: vscode.TextDocument): DocumentWriter {
    const writer = this.#writers.get(document) ?? new DocumentWriter(document);
    this.#writers.set(document, writer);
    return writer;
  }

  #hear(review: Review, phase: Review['phase']): void {
    if (phase === 'ended') {
      this.#reviews = this.#reviews.filter((other) => other !== review);
    }
    // While streaming, CodeLenses are not refreshed: requested for every line, they would appear
    // only at the end.
    this.#renew(review.document, phase !== 'streaming');
  }

  #renew(document: vscode.TextDocument, withLenses: boolean): void {
    this.#marks.draw(document, this.#reviewsOf(document));
    if (withLenses) this.#lenses.renew();
    this.#tellKeys();
  }

  #draw(): void {
    for (const document of this.#writers.keys()) {
      this.#marks.draw(document, this.#reviewsOf(document));
    }
  }

  #tellKeys(): void {
    const document = vscode.window.activeTextEditor?.document;
    const phases = document === undefined ? [] : this.#reviewsOf(document).map((one) => one.phase);
    this.#tellKey(contextKeys.editStreaming, phases.includes('streaming'));
    this.#tellKey(contextKeys.editOpen, phases.includes('open'));
  }

  #tellKey(key: string, isSo: boolean): void {
    if ((this.#told.get(key) ?? false) === isSo) return;
    this.#told.set(key, isSo);
    void vscode.commands.executeCommand('setContext', key, isSo);
  }

  /** An edit whose tab was closed is rejected, since it is neither visible nor accepted. */
  #afterClose(closed: readonly vscode.Tab[]): void {
    for (const { input } of closed) {
      if (!(input instanceof vscode.TabInputText) || isInTab(input.uri)) continue;
      const address = input.uri.toString();
      for (const review of this.#reviews) {
        if (review.document.uri.toString() === address) void review.decide('reject');
      }
    }
  }

  #forget(document: vscode.TextDocument): void {
    for (const review of this.#reviewsOf(document)) {
      const { phase, rows } = review;
      review.dispose();
      const { uri, isUntitled } = document;
      // A file that was deleted or changed elsewhere has nothing to revert.
      if (phase !== 'undone' && !isUntitled) revertClosed(uri, rows).catch(() => undefined);
    }
    this.#writers.delete(document);
  }
}

/** Clears selections, which would hide the colors of the change. */
function unselect({ document, start, end }: EditPlace): void {
  const lines = new vscode.Range(start, 0, end, 0);
  for (const editor of vscode.window.visibleTextEditors) {
    const { selection } = editor;
    const isHere = editor.document === document && lines.intersection(selection) !== undefined;
    if (isHere && !selection.isEmpty) goTo(editor, start);
  }
}

function isInTab(uri: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
}
