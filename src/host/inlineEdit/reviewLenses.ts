import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { DecisionTarget } from './decisions.ts';
import type { Review, ReviewPhase } from './review.ts';

/** The line of buttons above a change that is open, and above each part of it. */
export class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewsOf: (document: vscode.TextDocument) => readonly Review[];
  readonly #changed = new vscode.EventEmitter<void>();
  /** What the buttons of parts say and do, once they are in sight. */
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
   * Places of buttons, which VS Code asks for where they come into sight. Each that is there costs it
   * something with each line that goes: all of them at once would make a long change slow to accept.
   */
  #lensesOfParts({ phase, document, hunks }: Review): vscode.CodeLens[] {
    // The only part is the whole.
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
  // VS Code drops a plain space behind an icon.
  const title = `$(${icon})\u00A0${words}`;
  return { title, command, arguments: [target] };
}

function rangeOf(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
