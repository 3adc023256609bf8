import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { DecisionTarget } from './decisionTarget.ts';
import type { Review } from './review.ts';

/** The line of buttons above a change that is open, and above each part of it. */
export class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewsOf: (document: vscode.TextDocument) => readonly Review[];
  readonly #changed = new vscode.EventEmitter<void>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(reviewsOf: (document: vscode.TextDocument) => readonly Review[]) {
    this.#reviewsOf = reviewsOf;
  }

  renew(): void {
    this.#changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.#reviewsOf(document).flatMap(lensesOf);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function lensesOf(review: Review): vscode.CodeLens[] {
  const { phase, document, rows, hunks } = review;
  const address = document.uri.toString();
  const { start } = rows;
  const all: DecisionTarget = { address, line: start, part: 'all' };
  if (phase === 'streaming') {
    return [lens(start, 'debug-stop', vscode.l10n.t('Stop'), commands.rejectEdit, all)];
  }
  if (phase !== 'open') return [];
  const whole = [
    lens(start, 'check-all', vscode.l10n.t('Accept All'), commands.acceptEdit, all),
    lens(start, 'discard', vscode.l10n.t('Reject All'), commands.rejectEdit, all),
  ];
  const each = hunks.flatMap(({ start: line }) => {
    const one: DecisionTarget = { address, line, part: 'hunk' };
    return [
      lens(line, 'check', vscode.l10n.t('Accept'), commands.acceptEdit, one),
      lens(line, 'close', vscode.l10n.t('Reject'), commands.rejectEdit, one),
    ];
  });
  // The only part is the whole.
  return hunks.length > 1 ? [...whole, ...each] : whole;
}

function lens(
  line: number,
  icon: string,
  words: string,
  command: string,
  target: DecisionTarget,
): vscode.CodeLens {
  const range = new vscode.Range(line, 0, line, 0);
  // VS Code drops a plain space behind an icon.
  const title = `$(${icon})\u00A0${words}`;
  return new vscode.CodeLens(range, { title, command, arguments: [target] });
}
