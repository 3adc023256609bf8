import * as vscode from 'vscode';
import type { Proposal, ReviewHunk, ShownHunk } from '../../core/review/proposal.ts';
import { TaskQueue } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { linesOf } from '../../core/support/text.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { UserError } from '../errors.ts';

export type EditDecision = 'accept' | 'reject';

/** The subject of a review, and the effects of its decisions. */
export interface ReviewOptions {
  /** The file as displayed, and its path, which decides the colors. */
  readonly label: string;
  readonly path: string;
  /** The address of the left side of the diff, and its text. */
  readonly original: string;
  readonly text: () => string;
  readonly proposal: Proposal;
  readonly line?: number;
  /** Allows the remaining hunks of a tool call, or denies it; undefined if there is no call. */
  readonly decideCall?: (decision: 'once' | 'deny') => void;
  /** Carries out hunks, or keeps them. Afterwards, they are no longer in the proposal. */
  accept(hunks: readonly ReviewHunk[]): Promise<void>;
  reject(hunks: readonly ReviewHunk[]): void;
  drop(): void;
  /** The last hunk is decided. Resolves when the place to go on is shown. */
  finish(): Promise<void>;
  readonly clock: Clock;
}

/** The fewest new characters for which the text is shown again. */
const leastShown = 200;

/** Milliseconds until it is shown with fewer, and how many more for each thousand characters. */
const longestWait = 100;
const longerEach = 5;

/** One proposal in the diff editor, until its last hunk is decided. */
export class Review implements Disposable {
  readonly options: ReviewOptions;
  readonly #changed = new Emitter<undefined>();
  readonly #decisions = new TaskQueue();
  #hasEnded = false;
  /** Characters of the text when it was last shown, and how many came since. */
  #shownLength = 0;
  #fresh = 0;
  #timer: Disposable | undefined;
  #isDeciding = false;

  /** Takes what the person has typed on the right side so far; set by the diff that shows it. */
  takeTyped: () => void = () => undefined;

  /** Fires when the text is to be shown again. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ReviewOptions) {
    this.options = options;
  }

  get isStreaming(): boolean {
    return !this.#hasEnded && this.options.proposal.isStreaming;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True while a decision is carried out, which is about the text as it stood before, and after the end. */
  get isFixed(): boolean {
    return this.#isDeciding || this.#hasEnded;
  }

  /** The hunks to decide, as they stand on the right side. */
  get hunks(): readonly ShownHunk[] {
    return this.#hasEnded ? [] : this.options.proposal.shownHunks();
  }

  proposedText(): string {
    const text = this.options.proposal.proposedText(this.options.text());
    this.#shownLength = text.length;
    return text;
  }

  /**
   * Adds code. Each time that it is shown costs the whole text, so that becomes rarer as it grows:
   * all of it together costs a few times the final text.
   */
  push(code: string): void {
    if (this.#hasEnded || code === '') return;
    this.options.proposal.push(code);
    this.#fresh += code.length;
    if (this.#fresh >= Math.max(leastShown, this.#shownLength / 10)) this.show();
    const wait = longestWait + (this.#shownLength / 1000) * longerEach;
    this.#timer ??= this.options.clock.after(wait, () => this.show());
  }

  /** Drops all code that was added so far. */
  restart(): void {
    if (this.#hasEnded) return;
    this.options.proposal.restart();
    this.show();
  }

  /** Takes a change of the right side by the person, from what was shown to what they made of it. */
  edit(before: string, after: string): void {
    const text = this.options.text();
    // An editor shows no byte order mark.
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    this.options.proposal.edit(text, linesOf(mark + before), linesOf(mark + after));
    this.show();
  }

  /** Ends the stream. Returns whether there is anything to decide. */
  end(): boolean {
    this.options.proposal.end();
    this.show();
    return this.hunks.length > 0;
  }

  show(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#fresh = 0;
    if (!this.#hasEnded) this.#changed.fire(undefined);
  }

  /**
   * Carries out a decision, after earlier ones. Resolves once it is carried out.
   * @param ids the numbers of the hunks; all if absent
   */
  decide(side: EditDecision, ids?: readonly number[]): Promise<void> {
    return this.#decisions.run(async () => {
      this.takeTyped();
      this.#isDeciding = true;
      try {
        await this.#decide(side, ids);
      } finally {
        this.#isDeciding = false;
        this.show();
      }
    });
  }

  /** Ends the review without a decision: the stream stops, and nothing was changed. */
  drop(): void {
    if (this.#hasEnded) return;
    this.takeTyped();
    this.dispose();
    this.options.drop();
  }

  dispose(): void {
    this.#timer?.dispose();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#changed.fire(undefined);
    this.#changed.dispose();
  }

  async #decide(side: EditDecision, ids: readonly number[] | undefined): Promise<void> {
    const { proposal } = this.options;
    if (this.isStreaming && side === 'reject') this.drop();
    if (this.#hasEnded || this.isStreaming) return;
    proposal.proposedText(this.options.text());
    const wanted = ids && new Set(ids);
    const hunks = proposal.hunks.filter(({ id }) => wanted?.has(id) ?? true);
    if (side === 'reject') this.options.reject(hunks);
    else await this.#accept(hunks);
    if (proposal.hunks.length === 0) await this.#finish();
  }

  async #accept(hunks: readonly ReviewHunk[]): Promise<void> {
    const fitting = hunks.filter(({ isStale }) => !isStale);
    if (fitting.length > 0) await this.options.accept(fitting);
    else if (hunks.length > 0) {
      throw new UserError(
        vscode.l10n.t('These lines have changed meanwhile. The change can only be rejected.'),
      );
    }
  }

  async #finish(): Promise<void> {
    if (this.#hasEnded) return;
    await this.options.finish();
    this.dispose();
  }
}
