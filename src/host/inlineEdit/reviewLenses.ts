import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { DecisionTarget } from './decisions.ts';
import type { Review, ReviewPhase } from './review.ts';

/** The CodeLenses above an open change and above each of its hunks. */
export class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewsOf: (document: vscode.TextDocument) => readonly Review[];
  readonly #changed = new vscode.EventEmitter<void>();
  /** Commands of the hunk CodeLenses, which are resolved when they become visible. */
  readonly #buttons = new WeakMap<vscode.CodeLens, vscode.Command>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(reviewsOf: (document: vscode.TextDocument) => readonly Review[]) {
    this.#reviewsOf = reviewsOf;
  }

  renew(): void {
    this.#changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.#reviewsOf(document).flatMap((review) => [
      ...lensesOfWhole(review),
      ...this.#lensesOfParts(review),
    ]);
  }

  resolveCodeLens(lens: vscode.CodeLens): vscode.CodeLens {
    const command = this.#buttons.get(lens) ?? lens.command;
    return command === undefined ? lens : new vscode.CodeLens(lens.range, command);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /**
   * Unresolved CodeLenses; VS Code resolves the visible ones. Each resolved one slows down every
   * line edit, so that resolving all would make a long change slow to accept.
   */
  #lensesOfParts({ phase, document, hunks }: Review): vscode.CodeLens[] {
    // A single hunk has the buttons of the whole change.
    if (phase !== 'open' || hunks.length < 2) return [];
    const address = document.uri.toString();
    return hunks.flatMap(({ start: line }) => {
      const one: DecisionTarget = { address, line, part: 'hunk' };
      return [
        button('check', vscode.l10n.t('Accept'), commands.acceptEdit, one),
        button('close', vscode.l10n.t('Reject'), commands.rejectEdit, one),
      ].map((command) => {
        const place = new vscode.CodeLens(rangeOf(line));
        this.#buttons.set(place, command);
        return place;
      });
    });
  }
}

function lensesOfWhole({ phase, document, rows: { start: line } }: Review): vscode.CodeLens[] {
  const all: DecisionTarget = { address: document.uri.toString(), line, part: 'all' };
  return buttonsOfWhole(phase, all).map((command) => new vscode.CodeLens(rangeOf(line), command));
}

function buttonsOfWhole(phase: ReviewPhase, all: DecisionTarget): readonly vscode.Command[] {
  if (phase === 'streaming') {
    return [button('debug-stop', vscode.l10n.t('Stop'), commands.rejectEdit, all)];
  }
  if (phase !== 'open') return [];
  return [
    button('check-all', vscode.l10n.t('Accept All'), commands.acceptEdit, all),
    button('discard', vscode.l10n.t('Reject All'), commands.rejectEdit, all),
  ];
}

function button(
  icon: string,
  words: string,
  command: string,
  target: DecisionTarget,
): vscode.Command {
  // VS Code drops a plain space after an icon.
  const title = `$(${icon})\u00A0${words}`;
  return { title, command, arguments: [target] };
}

function rangeOf(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
