import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { DecisionTarget } from './decisions.ts';
import type { Review } from './review.ts';

/** The buttons above each hunk of a proposed text. */
export class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewOf: (document: vscode.TextDocument) => Review | undefined;
  readonly #changed = new vscode.EventEmitter<void>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(reviewOf: (document: vscode.TextDocument) => Review | undefined) {
    this.#reviewOf = reviewOf;
  }

  renew(): void {
    this.#changed.fire();
  }

  /**
   * Gives CodeLenses with their commands. While VS Code resolves a list that is being replaced, it
   * copies the commands to the new list and forgets their arguments: such a button does nothing.
   */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviewOf(document);
    if (review === undefined) return [];
    const address = document.uri.toString();
    const lensesAt = (start: number, buttons: readonly vscode.Command[]): vscode.CodeLens[] => {
      const line = Math.min(start, document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      return buttons.map((command) => new vscode.CodeLens(range, command));
    };
    if (review.isStreaming) {
      const line = review.hunks[0]?.start ?? review.options.line ?? 0;
      return lensesAt(line, streamButtons({ address }));
    }
    return review.hunks.flatMap(({ hunk, start }) =>
      lensesAt(start, buttonsOf(hunk.isStale, { address, hunk: hunk.id })),
    );
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** The CodeLenses of a stream. The first has no command, so VS Code shows it as plain text. */
function streamButtons(target: DecisionTarget): readonly vscode.Command[] {
  return [
    button('loading~spin', vscode.l10n.t('Editing…'), '', target),
    button('debug-stop', vscode.l10n.t('Stop'), commands.rejectEdit, target),
  ];
}

function buttonsOf(isStale: boolean, target: DecisionTarget): readonly vscode.Command[] {
  const { acceptEdit, rejectEdit } = commands;
  if (isStale) {
    const words = vscode.l10n.t('Out of date: Reject');
    return [button('discard', words, rejectEdit, target)];
  }
  return [
    button('check', vscode.l10n.t('Accept'), acceptEdit, target),
    button('discard', vscode.l10n.t('Reject'), rejectEdit, target),
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
