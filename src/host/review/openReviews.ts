import * as vscode from 'vscode';
import { background, orUndefined } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { ContextFlags } from '../contextFlags.ts';
import { contextKeys, reviewScheme } from '../contributions.ts';
import { decideAtCursor, decisionTarget, revealLine } from './decisions.ts';
import type { EditDecision, Review } from './review.ts';
import { ReviewDocuments, reviewOfTab, reviewTabs } from './reviewDocuments.ts';
import { ReviewLenses } from './reviewLenses.ts';

/** All open reviews, with their diffs, buttons and keys. Nothing of them outlives the window. */
export class OpenReviews implements Disposable {
  readonly documents = new ReviewDocuments();
  readonly #reviews = new Map<string, Review>();
  /** The values of context keys that were set in VS Code. */
  readonly #flags = new ContextFlags();
  readonly #lenses = new ReviewLenses(({ uri }) => this.#reviews.get(uri.toString()));
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
    return [...this.#reviews.values()];
  }

  /** Shows a review in place of the editor of its file. Resolves when the diff is open. */
  async open(review: Review, line: number): Promise<void> {
    const uri = this.documents.add(review.options.path, () => review.proposedText());
    this.#reviews.set(uri.toString(), review);
    review.onDidChange(() => this.#renew(review, uri));
    await showDiff(review, uri, { selection: new vscode.Range(line, 0, line, 0) });
    this.#tellKeys();
    // The review may have ended before it was visible.
    if (review.hasEnded) await tabsClosed(uri);
  }

  /** Scrolls to the first hunk if it is out of sight: many lines may have been added above it. */
  revealFirst(review: Review): void {
    const [hunk] = review.hunks;
    const address = this.#addressOf(review);
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === address,
    );
    if (hunk !== undefined && editor !== undefined) revealLine(editor, hunk.start);
  }

  /** Brings the diff of an open review to the front. */
  async reveal(review: Review): Promise<boolean> {
    const address = this.#addressOf(review);
    const uri = address === undefined ? undefined : vscode.Uri.parse(address);
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
    await this.#closing;
  }

  /** `aside.allowEdit`, `aside.denyEdit`: decides the call whose review is in the active tab. */
  decideCall(decision: 'once' | 'deny'): void {
    this.active?.options.decideCall?.(decision);
  }

  /** The review in the active tab, else the only one there is. */
  get active(): Review | undefined {
    const uri = reviewOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
    const activeReview = uri && this.#reviews.get(uri.toString());
    return activeReview ?? (this.#reviews.size === 1 ? this.all[0] : undefined);
  }

  dispose(): void {
    for (const review of this.all) review.dispose();
    disposeAll(this.#disposables);
  }

  #at(address: string): Review | undefined {
    const isOf = ({ options }: Review): boolean => options.original === address;
    return this.#reviews.get(address) ?? this.all.find(isOf);
  }

  #renew(review: Review, uri: vscode.Uri): void {
    if (review.hasEnded) {
      this.#reviews.delete(uri.toString());
      this.documents.remove(uri);
      this.#closing = tabsClosed(uri);
    } else this.documents.update(uri);
    this.#lenses.renew();
    this.#tellKeys();
  }

  #afterClose(closed: readonly vscode.Tab[]): void {
    for (const uri of closed.flatMap((tab) => reviewOfTab(tab) ?? [])) {
      if (reviewTabs(uri).length === 0) this.#reviews.get(uri.toString())?.drop();
    }
    this.#tellKeys();
  }

  #addressOf(review: Review): string | undefined {
    return [...this.#reviews].find(([, candidate]) => candidate === review)?.[0];
  }

  #tellKeys(): void {
    const uri = reviewOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
    const review = uri && this.#reviews.get(uri.toString());
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
