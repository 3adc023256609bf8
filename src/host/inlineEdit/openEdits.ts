import * as vscode from 'vscode';
import { FencedCode } from '../../core/code/fencedCode.ts';
import type { Side } from '../../core/code/rowSteps.ts';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { contextKeys } from '../contributions.ts';
import { Refusal } from '../refusal.ts';
import { decisionTarget, type DecisionTarget } from './decisionTarget.ts';
import { DocumentWriter } from './documentWriter.ts';
import type { EditPlace, InlineEdits } from './inlineEdits.ts';
import { Review, type ProduceCode } from './review.ts';
import { ReviewLenses } from './reviewLenses.ts';
import { ReviewMarks } from './reviewMarks.ts';
import { isShown } from './shown.ts';

/** All changes that are open, and what there is to see and to press of them. */
export class OpenEdits implements InlineEdits, Disposable {
  readonly #writers = new Map<vscode.TextDocument, DocumentWriter>();
  #reviews: readonly Review[] = [];
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
      workspace.onWillSaveTextDocument((event) => this.#beforeSave(event)),
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

  stream(
    place: EditPlace,
    produce: (onText: (text: string) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const answer = new FencedCode(place.document.languageId);
    return this.#show(place, async (onCode, signal) => {
      await produce((text) => onCode(answer.push(text)), signal);
      onCode(answer.end());
    });
  }

  propose(place: EditPlace, code: string): Promise<void> {
    return this.#show(place, (onCode) => {
      onCode(code);
      return Promise.resolve();
    });
  }

  async decide(side: Side, given?: unknown): Promise<void> {
    const target = decisionTarget(given);
    const editor = vscode.window.activeTextEditor;
    if (typeof target === 'object') await this.#decideTarget(side, target);
    else if (editor !== undefined && target === 'cursor') await this.#decideAt(side, editor);
    else if (editor !== undefined) {
      await Promise.all(this.#reviewsOf(editor.document).map((review) => review.decide(side)));
    }
  }

  /** The text stays as it is: nothing can be written any more when the window closes. */
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
    this.#renew(document);
    if (!isShown(document)) await vscode.window.showTextDocument(document, { preview: false });
    await review.stream(produce);
  }

  #refuseOverlap({ document, start, end }: EditPlace): void {
    const isNear = ({ rows }: Review): boolean => start <= rows.end && rows.start <= end;
    if (!this.#reviewsOf(document).some(isNear)) return;
    throw new Refusal(vscode.l10n.t('There is a change here already. Accept or reject it first.'));
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
    this.#renew(review.document);
  }

  #renew(document: vscode.TextDocument): void {
    this.#marks.draw(document, this.#reviewsOf(document));
    this.#lenses.renew();
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
    const tell = (key: string, isSo: boolean): void =>
      void vscode.commands.executeCommand('setContext', key, isSo);
    tell(contextKeys.editStreaming, phases.includes('streaming'));
    tell(contextKeys.editOpen, phases.includes('open'));
  }

  async #decideTarget(side: Side, { address, line, part }: DecisionTarget): Promise<void> {
    const review = this.#reviews.find(
      ({ document, rows }) =>
        document.uri.toString() === address && rows.start <= line && line <= rows.end,
    );
    await review?.decide(side, part === 'hunk' ? line : undefined);
  }

  /** Decides the part at the cursor, or behind it, and goes on to the next. */
  async #decideAt(side: Side, editor: vscode.TextEditor): Promise<void> {
    const { line } = editor.selection.active;
    const found = this.#partsOf(editor.document).find(({ hunk }) => hunk.end > line);
    await found?.review.decide(side, found.hunk.start);
    const [first, ...others] = this.#partsOf(editor.document);
    const next = [first, ...others].find((part) => (part?.hunk.start ?? 0) >= line) ?? first;
    if (next !== undefined) goTo(editor, next.hunk.start);
  }

  #partsOf(document: vscode.TextDocument): readonly ReviewPart[] {
    return this.#reviewsOf(document)
      .flatMap((review) => review.hunks.map((hunk) => ({ review, hunk })))
      .toSorted((one, other) => one.hunk.start - other.hunk.start);
  }

  /** What nobody accepted is not saved by hand. What VS Code saves by itself is saved again after. */
  #beforeSave(event: vscode.TextDocumentWillSaveEvent): void {
    if (event.reason !== vscode.TextDocumentSaveReason.Manual) return;
    const reviews = this.#reviewsOf(event.document);
    if (reviews.length > 0) event.waitUntil(this.#rejectAll(reviews));
  }

  async #rejectAll(reviews: readonly Review[]): Promise<void> {
    const whole = reviews.filter(({ phase }) => phase === 'open');
    const proposals = whole.map((review) => ({ review, code: review.proposal }));
    await Promise.all(reviews.map((review) => review.decide('reject')));
    void this.#offer(proposals);
  }

  /** What was paid for is not lost. */
  async #offer(proposals: readonly { review: Review; code: string }[]): Promise<void> {
    const again = vscode.l10n.t('Show Again');
    const message = vscode.l10n.t('Saved without the change that was not accepted.');
    if ((await vscode.window.showInformationMessage(message, again)) !== again) return;
    for (const { review, code } of proposals) {
      const { document, rows } = review;
      await this.propose({ document, start: rows.start, end: rows.end }, code);
    }
  }

  /** Nobody sees it any more, and nothing was accepted. */
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
    for (const review of this.#reviewsOf(document)) review.dispose();
    this.#writers.delete(document);
  }
}

interface ReviewPart {
  readonly review: Review;
  readonly hunk: Review['hunks'][number];
}

function goTo(editor: vscode.TextEditor, line: number): void {
  const place = new vscode.Range(line, 0, line, 0);
  editor.selection = new vscode.Selection(place.start, place.end);
  editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function isInTab(uri: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString(),
  );
}
