import * as vscode from 'vscode';
import type { TextChange } from '../../core/code/textChange.ts';

/** So many are made one by one, and what the editor marks between them keeps its place. */
const mostChanges = 50;

/** Many changes as one, with the text between them: the editor takes much longer for each of its own. */
export function joinedChanges(
  changes: readonly TextChange[],
  document: Pick<vscode.TextDocument, 'getText'>,
): readonly TextChange[] {
  if (changes.length <= mostChanges) return changes;
  const [first, ...others] = changes.toSorted(
    (one, other) => one.startLine - other.startLine || one.startCharacter - other.startCharacter,
  );
  if (first === undefined) return changes;
  const join = (one: TextChange, next: TextChange): TextChange => ({
    ...one,
    endLine: next.endLine,
    endCharacter: next.endCharacter,
    text: one.text + document.getText(between(one, next)) + next.text,
  });
  return [others.reduce(join, first)];
}

function between(one: TextChange, next: TextChange): vscode.Range {
  return new vscode.Range(one.endLine, one.endCharacter, next.startLine, next.startCharacter);
}
