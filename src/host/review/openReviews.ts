import * as vscode from 'vscode';
import { background, orUndefined } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { ContextFlags } from '../contextFlags.ts';
import { contextKeys, reviewScheme } from '../contributions.ts';
import { decideAtCursor, decisionTarget, revealLine } from './decisions.ts';
import type { EditDecision, Review } from './review.ts';
import { ReviewDocuments, reviewOfTab, reviewTabs } from './reviewDocuments.ts';
import { ReviewLenses } from './reviewLenses.ts';
import { RightSide } from './rightSide.ts';

/** All open reviews, with their diffs, buttons and keys. Nothing of them outlives the window. */
export class OpenReviews implements Disposable {
  readonly documents = new ReviewDocuments();
  readonly #sides = new Map<Review, RightSide>();
  /** The values of context keys that were set in VS Code. */
  readonly #flags = new ContextFlags();
  readonly #lenses = new ReviewLenses(({ uri }) => this.#at(uri.toString()));
  readonly #disposables: readonly Disposable[];
  #closing: Promise<void> = Promise.resolve();

  constructor() {
    const { tabGroups } = vscode.window;
    this.#disposables = [
      this.documents,
      this.#lenses,
      vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, this.#lenses),
      tabGroups.onDidChangeTabs(({ closed }) => this.#afterClose(closed)),
      tabGroups.onDidChangeTabGroups(() => this.#tellKeys()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()),
    ];
    // Tabs of an earlier extension host show changes that nobody can accept any more.
    background(tabsClosed());
    this.#tellKeys();
  }

  get all(): readonly Review[] {
    return [...this.#sides.keys()];
  }

  /** Shows a review in place of the editor of its file. Resolves when the diff is open. */
  async open(review: Review, line: number): Promise<void> {
    const right = new RightSide(review, this.documents);
    this.#sides.set(review, right);
    review.onDidChange(() => this.#renew(review, right));
    await showDiff(review, right.uri, { selection: new vscode.Range(line, 0, line, 0) });
    this.#tellKeys();
    // The review may have ended before it was visible.
    if (review.hasEnded) await tabsClosed(right.uri);
  }

  /** Scrolls to the first hunk if it is out of sight: many lines may have been added above it. */
  revealFirst(review: Review): void {
    const [hunk] = review.hunks;
    const address = this.#sides.get(review)?.uri.toString();
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === address,
    );
    if (hunk !== undefined && editor !== undefined) revealLine(editor, hunk.start);
  }

  /** Brings the diff of an open review to the front. */
  async reveal(review: Review): Promise<boolean> {
    const uri = this.#sides.get(review)?.uri;
    if (uri === undefined || reviewTabs(uri).length === 0) return false;
    await showDiff(review, uri);
    return true;
  }

  /**
   * `aside.acceptEdit`, `aside.rejectEdit`
   * @param argument the argument of the command; without one, decides all of the active review
   */
  async decide(side: EditDecision, argument?: unknown): Promise<void> {
    const target = decisionTarget(argument);
    const review = typeof target === 'object' ? this.#at(target.address) : this.active;
    if (review === undefined) return;
    if (target === 'cursor') await decideAtCursor(review, side);
    else if (target === 'editor' || target.hunk === undefined) await review.decide(side);
    else await review.decide(side, [target.hunk]);
    await this.#sides.get(review)?.write();
    await this.#closing;
  }

  /** `aside.allowEdit`, `aside.denyEdit`: decides the call whose review is in the active tab. */
  decideCall(decision: 'once' | 'deny'): void {
    this.active?.options.decideCall?.(decision);
  }

  /** The review in the active tab, else the only one there is. */
  get active(): Review | undefined {
    return this.#inActiveTab ?? (this.#sides.size === 1 ? this.all[0] : undefined);
  }

  dispose(): void {
    for (const review of this.all) review.dispose();
    disposeAll(this.#disposables);
  }

  get #inActiveTab(): Review | undefined {
    const uri = reviewOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
    return uri && this.#at(uri.toString());
  }

  /** The review whose right side has this address. */
  #at(address: string): Review | undefined {
    return this.all.find((review) => this.#sides.get(review)?.uri.toString() === address);
  }

  #renew(review: Review, right: RightSide): void {
    if (review.hasEnded) {
      this.#sides.delete(review);
      this.#closing = this.#close(right);
    } else right.update();
    this.#lenses.renew();
    this.#tellKeys();
  }

  async #close(right: RightSide): Promise<void> {
    await right.end();
    await tabsClosed(right.uri);
    this.documents.remove(right.uri);
  }

  #afterClose(closed: readonly vscode.Tab[]): void {
    for (const uri of closed.flatMap((tab) => reviewOfTab(tab) ?? [])) {
      if (reviewTabs(uri).length === 0) this.#at(uri.toString())?.drop();
    }
    this.#tellKeys();
  }

  #tellKeys(): void {
    const review = this.#inActiveTab;
    this.#flags.set(contextKeys.reviewStreaming, review?.isStreaming === true);
    this.#flags.set(contextKeys.reviewOpen, review?.isStreaming === false);
    this.#flags.set(contextKeys.reviewOfCall, review?.options.decideCall !== undefined);
  }
}

async function showDiff(
  { options: { label, original, decideCall } }: Review,
  uri: vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  const title =
    decideCall === undefined ? vscode.l10n.t('Review Change') : vscode.l10n.t('Proposed Change');
  const showOptions = { preview: false, ...options };
  const originalUri = vscode.Uri.parse(original);
  await vscode.commands.executeCommand(
    'vscode.diff',
    originalUri,
    uri,
    `${label}: ${title}`,
    showOptions,
  );
}

async function tabsClosed(uri?: vscode.Uri): Promise<void> {
  const tabs = reviewTabs(uri);
  // The person may close one of them at the same moment.
  if (tabs.length > 0) await orUndefined(vscode.window.tabGroups.close(tabs));
}
