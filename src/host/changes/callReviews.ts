import * as vscode from 'vscode';
import type { PlannedChange } from '../../core/approval/gate.ts';
import { Proposal } from '../../core/review/proposal.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { keyOfCall, type PanelDecision, type PanelDecisions } from '../approval/panelDecisions.ts';
import type { OpenReviews } from '../review/openReviews.ts';
import { Review, type ReviewSubject } from '../review/review.ts';

interface CallReviewsOptions {
  readonly reviews: OpenReviews;
  readonly decisions: PanelDecisions;
  readonly clock: Clock;
}

interface WaitingCall {
  readonly turn: string;
  readonly call: string;
  readonly files: readonly FileOfCall[];
}

/** A file of the call, with the undecided hunks. */
interface FileOfCall {
  readonly change: PlannedChange;
  readonly proposal: Proposal;
  review: Review | undefined;
}

/**
 * Reviews edits that wait in the panel, hunk by hunk. Hunks rejected and lines typed here count,
 * even if the edit is allowed elsewhere. The diffs close after the decision.
 */
export class CallReviews implements Disposable {
  readonly #options: CallReviewsOptions;
  readonly #calls = new Map<string, WaitingCall>();
  readonly #listening: Disposable;

  constructor(options: CallReviewsOptions) {
    this.#options = options;
    this.#listening = options.decisions.onDidEnd(({ turn, call }) => this.#end(turn, call));
  }

  /** Shows the file with this path, or the first undecided one. */
  async show(turn: string, call: string, path: string | undefined): Promise<void> {
    const waiting = this.#callOf(turn, call);
    const named = waiting?.files.find(({ change }) => change.path === path);
    const file = named ?? waiting?.files.find(({ proposal }) => proposal.hunks.length > 0);
    if (waiting !== undefined && file !== undefined) await this.#open(waiting, file);
  }

  dispose(): void {
    this.#listening.dispose();
    for (const { turn, call } of this.#calls.values()) this.#end(turn, call);
  }

  #callOf(turn: string, call: string): WaitingCall | undefined {
    const key = keyOfCall(turn, call);
    const changes = this.#options.decisions.changesOf(turn, call);
    if (changes === undefined) return undefined;
    const waiting = this.#calls.get(key) ?? { turn, call, files: changes.map(fileOf) };
    this.#calls.set(key, waiting);
    this.#options.decisions.limit(turn, call, () => reviewedTexts(waiting));
    return waiting;
  }

  async #open(waiting: WaitingCall, file: FileOfCall): Promise<void> {
    const { reviews } = this.#options;
    if (file.review !== undefined && (await reviews.reveal(file.review))) return;
    const { change, proposal } = file;
    const label = labelOf(waiting, file);
    const original = reviews.documents.add(change.path, () => change.before);
    const subject: ReviewSubject = {
      label,
      path: change.path,
      original: original.toString(),
      text: () => change.before,
      proposal,
      decideCall: (decision) => this.#decide(waiting, decision),
      accept(hunks) {
        proposal.keep(hunks);
        return Promise.resolve();
      },
      drop: () => reviews.documents.remove(original),
      finish: () => this.#finish(waiting),
    };
    file.review = new Review(subject, this.#options.clock);
    await reviews.open(file.review, proposal.hunks[0]?.line ?? 0);
  }

  /** After the last hunk of a file, shows the next file, or decides the call. */
  async #finish(waiting: WaitingCall): Promise<void> {
    const next = waiting.files.find(({ proposal }) => proposal.hunks.length > 0);
    if (next !== undefined) return this.#open(waiting, next);
    const isAllowed = waiting.files.some((file) => textOf(file) !== file.change.before);
    this.#decide(waiting, isAllowed ? 'once' : 'deny');
  }

  #decide({ turn, call }: WaitingCall, decision: PanelDecision): void {
    this.#options.decisions.decide(turn, call, decision);
  }

  #end(turn: string, call: string): void {
    const key = keyOfCall(turn, call);
    for (const { review } of this.#calls.get(key)?.files ?? []) review?.drop();
    this.#calls.delete(key);
  }
}

function fileOf(change: PlannedChange): FileOfCall {
  const proposal = Proposal.between(change.before, change.after);
  return { change, proposal, review: undefined };
}

function textOf({ change, proposal }: FileOfCall): string {
  return proposal.isEdited ? proposal.resultText(change.before) : change.after;
}

function reviewedTexts({ files }: WaitingCall): ReadonlyMap<string, string> | undefined {
  for (const { review } of files) review?.takeTyped();
  if (files.every((file) => textOf(file) === file.change.after)) return undefined;
  return new Map(files.map((file) => [file.change.path, textOf(file)]));
}

/** The path, with a counter if there are several files. */
function labelOf({ files }: WaitingCall, file: FileOfCall): string {
  const path = revealInvisible(file.change.path).text;
  if (files.length === 1) return path;
  return vscode.l10n.t('{0} ({1} of {2})', path, files.indexOf(file) + 1, files.length);
}
