import * as vscode from 'vscode';
import type { ResolvedChange } from '../../core/approval/gate.ts';
import { Proposal } from '../../core/edits/proposal.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { keyOfCall, type PanelDecision, type PanelDecisions } from '../approval/panelDecisions.ts';
import type { OpenReviews } from '../review/openReviews.ts';
import { Review, type ReviewSubject } from '../review/review.ts';

interface WaitingCall {
  readonly turn: string;
  readonly call: string;
  readonly files: readonly FileOfCall[];
}

/** A file of the call, with the undecided hunks. */
interface FileOfCall {
  readonly change: ResolvedChange;
  readonly proposal: Proposal;
  review: Review | undefined;
}

/**
 * Reviews edits that wait in the panel, hunk by hunk. Hunks rejected and lines typed here count,
 * even if the edit is allowed elsewhere. The diffs close after the decision.
 */
export class CallReviews implements Disposable {
  readonly #reviews: OpenReviews;
  readonly #decisions: PanelDecisions;
  readonly #calls = new Map<string, WaitingCall>();
  readonly #listening: Disposable;

  constructor(reviews: OpenReviews, decisions: PanelDecisions) {
    this.#reviews = reviews;
    this.#decisions = decisions;
    this.#listening = decisions.onDidEnd(({ turn, call }) => this.#end(turn, call));
  }

  /**
   * Shows a file, or the first undecided one.
   * @param label of the file, as on the card of the call
   */
  async show(turn: string, call: string, label: string | undefined): Promise<void> {
    const changes = this.#decisions.changesOf(turn, call);
    if (changes === undefined) return;
    const key = keyOfCall(turn, call);
    const files = changes.map((change) => {
      const proposal = Proposal.between(change.before, change.after);
      return { change, proposal, review: undefined };
    });
    const waiting = this.#calls.get(key) ?? { turn, call, files };
    this.#calls.set(key, waiting);
    this.#decisions.limit(turn, call, () => {
      for (const { review } of waiting.files) review?.takeTyped();
      if (waiting.files.every((file) => textOf(file) === file.change.after)) return undefined;
      return new Map(waiting.files.map((file) => [file.change.path, textOf(file)]));
    });
    const file =
      waiting.files.find(({ change }) => change.target.label === label) ??
      waiting.files.find(({ proposal }) => proposal.hunks.length > 0);
    if (file !== undefined) await this.#open(waiting, file);
  }

  dispose(): void {
    this.#listening.dispose();
    for (const { turn, call } of this.#calls.values()) this.#end(turn, call);
  }

  async #open(waiting: WaitingCall, file: FileOfCall): Promise<void> {
    const reviews = this.#reviews;
    if (file.review !== undefined && (await reviews.reveal(file.review))) return;
    const { change, proposal } = file;
    const { files } = waiting;
    const path = change.target.label;
    const shownPath = revealInvisible(path).text;
    const label =
      files.length === 1
        ? shownPath
        : vscode.l10n.t('{0} ({1} of {2})', shownPath, files.indexOf(file) + 1, files.length);
    const original = reviews.documents.add(path, () => change.before);
    const subject: ReviewSubject = {
      label,
      path,
      original: original.toString(),
      text: () => change.before,
      proposal,
      decideCall: (decision) => this.#decide(waiting, decision),
      accept(hunks) {
        proposal.keep(hunks);
        return Promise.resolve();
      },
      drop: () => reviews.documents.remove(original),
      // After the last hunk of a file comes the next file, or the decision.
      finish: async () => {
        const next = files.find((other) => other.proposal.hunks.length > 0);
        if (next !== undefined) return this.#open(waiting, next);
        const isAllowed = files.some((other) => textOf(other) !== other.change.before);
        this.#decide(waiting, isAllowed ? 'once' : 'deny');
      },
    };
    file.review = new Review(subject, systemClock);
    await reviews.open(file.review, proposal.hunks[0]?.line ?? 0);
  }

  #decide({ turn, call }: WaitingCall, decision: PanelDecision): void {
    this.#decisions.decide(turn, call, decision);
  }

  #end(turn: string, call: string): void {
    const key = keyOfCall(turn, call);
    for (const { review } of this.#calls.get(key)?.files ?? []) review?.drop();
    this.#calls.delete(key);
  }
}

function textOf({ change, proposal }: FileOfCall): string {
  return proposal.isEdited ? proposal.resultText(change.before) : change.after;
}
