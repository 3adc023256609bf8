import * as vscode from 'vscode';
import { CodeExtractor, CodeIndenter, indentOfLines } from '../../core/code/codeExtractor.ts';
import { omittingCommentIn } from '../../core/edits/omittedCode.ts';
import { UserError } from '../errors.ts';

/** Whole lines of a document, 0-based; `end` is exclusive. Without lines, a position to insert at. */
export interface EditPlace {
  readonly document: vscode.TextDocument;
  readonly start: number;
  readonly end: number;
}

/** Produces the raw text of a reply in chunks, and resolves at its end. */
export type ProduceText = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/** Takes code as it comes. */
interface CodeTarget {
  /** Adds whole lines. */
  push(code: string): void;
  /** Drops all code so far. */
  restart(): void;
}

/** Produces code in whole lines. Resolves at its end; rejects if it fails. */
export type ProduceCode = (target: CodeTarget, signal: AbortSignal) => Promise<void>;

/**
 * Extracts the code of a streamed reply, and indents it for its place.
 *
 * @throws {UserError} if a comment in the code stands for lines that it would delete
 */
export function answerCode(place: EditPlace, produce: ProduceText): ProduceCode {
  return async (target, signal) => {
    const before = linesOfPlace(place);
    const options = { indent: indentOfLines(before), unit: levelOf(place.document) };
    let indenter = new CodeIndenter(options);
    let written: string[] = [];
    const push = (code: string): void => {
      written.push(code);
      target.push(code);
    };
    const answer = new CodeExtractor(place.document.languageId, () => {
      indenter = new CodeIndenter(options);
      written = [];
      target.restart();
    });
    await produce((text) => push(indenter.push(answer.push(text))), signal);
    const rest = answer.end();
    push(indenter.push(rest) + indenter.end());
    const omission = omittingCommentIn(before.join('\n'), written.join(''));
    if (omission === undefined) return;
    throw new UserError(
      vscode.l10n.t('The reply leaves out code at “{0}”. Nothing was changed.', omission.trim()),
    );
  };
}

function linesOfPlace({ document, start, end }: EditPlace): readonly string[] {
  return Array.from({ length: end - start }, (_, line) => document.lineAt(start + line).text);
}

function levelOf(document: vscode.TextDocument): string {
  const editor = vscode.window.visibleTextEditors.find(
    (candidate) => candidate.document === document,
  );
  const { insertSpaces = true, tabSize = 4 } = editor?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
