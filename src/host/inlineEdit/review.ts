import * as vscode from 'vscode';
import { EditStream, type RowSplice } from '../../core/code/editStream.ts';
import { OpenRows } from '../../core/code/openRows.ts';
import {
  decisionStep,
  hunksOf,
  streamStep,
  type RowStep,
  type EditDecision,
  type RowSpan,
} from '../../core/code/rowSteps.ts';
import { textChange } from '../../core/code/textChange.ts';
import { raceAbort } from '../../core/support/async.ts';
import { Emitter } from '../../core/support/event.ts';
import { UserError } from '../errors.ts';
import { lineOf, shapeOf, type DocumentWriter, type WrittenChange } from './documentWriter.ts';
import { isShown, untilShown } from './shown.ts';

/** Produces code in chunks. Resolves at its end; rejects if it fails. */
export type ProduceCode = (onCode: (code: string) => void, signal: AbortSignal) => Promise<void>;

/** `undone` is a change that the person has undone and can redo. */
export type ReviewPhase = 'streaming' | 'open' | 'undone' | 'ended';

/**
 * One change of some lines of a document, from the first chunk of code until the person has decided
 * on all of it. Removed lines stay in the text until then, so that the original text can be
 * restored at any time.
 */
export class Review {
  readonly #writer: DocumentWriter;
  #rows: OpenRows;
  readonly #edit: EditStream;
  readonly #abort = new AbortController();
  readonly #changed = new Emitter<ReviewPhase>();
  readonly #listening: { dispose(): void };
  #phase: ReviewPhase = 'streaming';
  /** Changes that are not written yet. */
  #splices: RowSplice[] = [];
  #showing: Promise<void> | undefined;
  #streaming: Promise<void> = Promise.resolve();
  #isTouched = false;
  #isUnchanged = false;
  /** The rows before the person undid the change. */
  #undone: OpenRows | undefined;
  /**
   * Whether the next write starts a new undo step, so that the changes of others are undone
   * separately.
   */
  #undoStop = true;

  /** Fires with the phase, whenever anything visible has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(writer: DocumentWriter, { start, end }: RowSpan) {
    const { document } = writer;
    const lines = Array.from({ length: end - start }, (_, i) => document.lineAt(start + i).text);
    this.#writer = writer;
    this.#edit = new EditStream(lines);
    this.#rows = new OpenRows(start, this.#edit.rows);
    this.#listening = writer.onDidChange((change) => this.#follow(change));
  }

  get document(): vscode.TextDocument {
    return this.#writer.document;
  }

  get phase(): ReviewPhase {
    return this.#phase;
  }

  /** Whether the new code equals the existing code. */
  get isUnchanged(): boolean {
    return this.#isUnchanged;
  }

  /** Its current lines in the document. */
  get rows(): OpenRows {
    return this.#rows;
  }

  /** The lines of each hunk that is not decided. */
  get hunks(): readonly RowSpan[] {
    if (this.#phase === 'undone') return [];
    const { start, rows } = this.#rows;
    return hunksOf(rows).map((hunk) => ({ start: start + hunk.start, end: start + hunk.end }));
  }

  /** The code after accepting everything. */
  get proposal(): string {
    const { start, rows } = this.#rows;
    return rows
      .map(({ kind }, row) =>
        kind === 'removed' ? '' : `${this.document.lineAt(start + row).text}\n`,
      )
      .join('');
  }

  /** Whether its lines, which are all decided, are unchanged in the document. */
  isAsBefore(): boolean {
    return this.#stand(this.#rows);
  }

  /**
   * Shows code as it is streamed. Resolves when the person can decide, or has stopped it. If it
   * fails, the original text is restored.
   * @throws what `produce` rejected with; {@link UserError} if the person changed the same lines.
   */
  stream(produce: ProduceCode): Promise<void> {
    this.#streaming = this.#stream(produce);
    return this.#streaming;
  }

  /**
   * Carries out a decision. Rejecting while streaming stops the stream.
   * @param line a line of the hunk; all hunks if absent
   */
  async decide(side: EditDecision, line?: number): Promise<void> {
    if (this.#phase === 'streaming') {
      if (side === 'reject') await this.stop();
      return;
    }
    const span = (): RowSpan | undefined => this.#spanAt(line);
    await this.#write(() => {
      const found = this.#phase === 'open' ? span() : undefined;
      return found && decisionStep(this.#rows.rows, side, found);
    }, true);
    if (this.#phase === 'open' && this.hunks.length === 0) this.#enter('ended');
  }

  /** Stops streaming. Resolves when the original text is restored. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#streaming.catch(() => undefined);
  }

  /** Ends the review without changing the text, when nothing can be written any more. */
  dispose(): void {
    this.#enter('ended');
    this.#abort.abort();
    this.#changed.dispose();
  }

  async #stream(produce: ProduceCode): Promise<void> {
    const { signal } = this.#abort;
    try {
      await raceAbort(
        produce((code) => this.#hear(code), signal),
        signal,
      );
      this.#splices.push(...this.#edit.end());
      await raceAbort(this.#show(), signal);
      this.#isUnchanged = this.hunks.length === 0;
      this.#enter(this.#isUnchanged ? 'ended' : 'open');
    } catch (error) {
      await this.#giveUp(error);
    }
  }

  #hear(code: string): void {
    if (this.#phase !== 'streaming' || code === '') return;
    this.#splices.push(...this.#edit.push(code));
    this.#show().catch((error: unknown) => this.#abort.abort(error));
  }

  /**
   * Resolves when all received code is written. Code received during a write is written together.
   */
  #show(): Promise<void> {
    if (this.#splices.length === 0) return this.#showing ?? Promise.resolve();
    this.#showing ??= this.#showAll();
    return this.#showing;
  }

  async #showAll(): Promise<void> {
    try {
      while (this.#splices.length > 0) {
        await untilShown(this.document, this.#abort.signal);
        await this.#showSplices();
      }
    } finally {
      this.#showing = undefined;
    }
  }

  async #showSplices(): Promise<void> {
    const splices = this.#splices;
    this.#splices = [];
    const step = streamStep(this.#rows.rows, splices);
    await this.#write(() => (this.#abort.signal.aborted ? undefined : step), false);
  }

  async #write(plan: () => RowStep | undefined, isDecision: boolean): Promise<void> {
    let step: RowStep | undefined;
    await this.#writer.write({
      writer: this,
      plan: () => {
        step = plan();
        return step?.edits.map((edit) =>
          textChange(edit, this.#rows.start, shapeOf(this.document)),
        );
      },
      done: () => {
        if (step !== undefined) this.#take(step);
      },
      undoStops: () => ({
        undoStopBefore: this.#undoStop,
        undoStopAfter: isDecision && step !== undefined && this.#isLast(step),
      }),
    });
  }

  /** Whether no hunk is left after this step, so that all steps form one undo step. */
  #isLast({ start, end }: RowSpan): boolean {
    return hunksOf(this.#rows.rows).every((hunk) => start <= hunk.start && hunk.end <= end);
  }

  #take(step: RowStep): void {
    this.#rows.take(step);
    if (step.edits.length > 0) this.#undoStop = false;
    this.#changed.fire(this.#phase);
  }

  #follow({ changes, writer, isHistory }: WrittenChange): void {
    if (writer === this || this.#phase === 'ended') return;
    if (this.#phase === 'undone') {
      this.#followUndone(isHistory);
      return;
    }
    const before = isHistory ? this.#rows.copy() : undefined;
    const isTouched = changes.map((change) => this.#rows.follow(change)).includes(true);
    this.#undoStop = true;
    if (!isTouched) this.#changed.fire(this.#phase);
    else if (before === undefined) this.#touch();
    else this.#undo(before);
  }

  /** The person edited these lines: their text is kept, and streaming stops. */
  #touch(): void {
    this.#isTouched = this.#phase === 'streaming';
    this.#enter(this.#isTouched || this.hunks.length > 0 ? this.#phase : 'ended');
    this.#abort.abort();
  }

  /** An undo by the person discards the change; a redo makes it pending again. */
  #undo(before: OpenRows): void {
    this.#undone = before;
    this.#enter(this.#phase === 'open' ? 'undone' : 'ended');
    this.#abort.abort();
  }

  #followUndone(isHistory: boolean): void {
    if (!isHistory) this.#enter('ended');
    else if (this.#undone !== undefined && this.#stand(this.#undone)) {
      this.#rows = this.#undone;
      this.#enter('open');
    }
  }

  #stand(rows: OpenRows): boolean {
    return rows.stand((line) => lineOf(this.document, line));
  }

  async #giveUp(error: unknown): Promise<void> {
    // A write in progress is completed first, and then reverted.
    await this.#showing?.catch(() => undefined);
    if (this.#phase === 'ended') return;
    const wasStopped = this.#abort.signal.aborted && !(error instanceof UserError);
    this.#abort.abort();
    this.#enter('open');
    if (this.#isTouched && isShown(this.document)) throw touched();
    await this.decide('reject');
    if (!wasStopped) throw error;
  }

  #enter(phase: ReviewPhase): void {
    if (this.#phase === 'ended') return;
    this.#phase = phase;
    if (phase === 'ended') this.#listening.dispose();
    this.#changed.fire(phase);
  }

  #spanAt(line: number | undefined): RowSpan | undefined {
    const { start, rows } = this.#rows;
    if (line === undefined) return { start: 0, end: rows.length };
    const row = line - start;
    return hunksOf(rows).find((hunk) => hunk.start <= row && row < hunk.end);
  }
}

function touched(): UserError {
  return new UserError(
    vscode.l10n.t(
      'Aside stopped because you changed the lines it was writing. You can accept or reject the changes made so far.',
    ),
  );
}
