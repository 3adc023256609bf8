import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { DecisionTarget } from './decisions.ts';
import type { Review } from './review.ts';

/** The buttons above each hunk of a proposed text. */
export class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewOf: (document: vscode.TextDocument) => Review | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Commands of the CodeLenses, which are resolved when they become visible. */
  readonly #buttons = new WeakMap<vscode.CodeLens, vscode.Command>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(reviewOf: (document: vscode.TextDocument) => Review | undefined) {
    this.#reviewOf = reviewOf;
  }

  renew(): void {
    this.#changed.fire();
  }

  /** Unresolved CodeLenses; VS Code resolves the visible ones, so a long change costs little. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviewOf(document);
    const address = document.uri.toString();
    return (review?.hunks ?? []).flatMap(({ hunk, start }) => {
      const line = Math.min(start, document.lineCount - 1);
      const target: DecisionTarget = { address, line: start, part: 'hunk' };
      return buttonsOf(review?.isStreaming === true, hunk.isStale, target).map((command) => {
        const lens = new vscode.CodeLens(new vscode.Range(line, 0, line, 0));
        this.#buttons.set(lens, command);
        return lens;
      });
    });
  }

  resolveCodeLens(lens: vscode.CodeLens): vscode.CodeLens {
    const command = this.#buttons.get(lens) ?? lens.command;
    return command === undefined ? lens : new vscode.CodeLens(lens.range, command);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function buttonsOf(
  isStreaming: boolean,
  isStale: boolean,
  target: DecisionTarget,
): readonly vscode.Command[] {
  const { acceptEdit, rejectEdit } = commands;
  if (isStreaming) return [button('debug-stop', vscode.l10n.t('Stop'), rejectEdit, target)];
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
