import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { visibleName } from '../../core/support/text.ts';
import { chatViewId } from '../contributions.ts';
import { labelFor } from '../workspace/location.ts';
import { attachmentOf } from '../workspace/selection.ts';
import { symbolKindName } from '../workspace/symbols.ts';
import type { Dialogs, PickItem } from '../dialogs.ts';
import { attachmentIcons } from './contextChips.ts';

/** The maximum characters of a file that is attached in full. */
export const maxCharacters = 100_000;
/** Number of lines in each part of a file without symbols. */
const linesOfPart = 500;

/** Lets the person choose parts of a file that is too large to attach. */
export async function chooseParts(
  document: vscode.TextDocument,
  dialogs: Dialogs,
): Promise<readonly Attachment[]> {
  const name = visibleName(labelFor(document.uri));
  const choices = [...(await withViewProgress(symbolParts(document))), ...lineParts(document)];
  const title = vscode.l10n.t('{0} is too large to attach in full. Select parts.', name);
  const chosen = await dialogs.pickSeveral(choices, title);
  return chosen.flatMap((range) => attachmentOf(document, range, newId()) ?? []);
}

/** Shows progress: the symbols of a file that was not opened yet can take seconds. */
function withViewProgress<T>(work: Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: { viewId: chatViewId } }, () => work);
}

async function symbolParts(
  document: vscode.TextDocument,
): Promise<readonly PickItem<vscode.Range>[]> {
  const symbols = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', document.uri);
  return (symbols ?? []).flatMap((symbol) => {
    const range = 'range' in symbol ? symbol.range : symbol.location.range;
    if (lengthOf(document, range) > maxCharacters) return [];
    const lines = range.isSingleLine
      ? vscode.l10n.t('line {0}', range.start.line + 1)
      : vscode.l10n.t('lines {0}–{1}', range.start.line + 1, range.end.line + 1);
    const description = `${symbolKindName(symbol.kind)}, ${lines}`;
    return [{ label: symbol.name, description, icon: attachmentIcons.symbol, value: range }];
  });
}

function lineParts(document: vscode.TextDocument): readonly PickItem<vscode.Range>[] {
  const count = Math.ceil(document.lineCount / linesOfPart);
  const ranges = Array.from({ length: count }, (_, part) => {
    const last = Math.min(document.lineCount, (part + 1) * linesOfPart) - 1;
    return new vscode.Range(part * linesOfPart, 0, last, document.lineAt(last).text.length);
  });
  return ranges
    .filter((range) => lengthOf(document, range) <= maxCharacters)
    .map((range) => ({
      label: vscode.l10n.t('Lines {0}–{1}', range.start.line + 1, range.end.line + 1),
      value: range,
    }));
}

function lengthOf(document: vscode.TextDocument, range: vscode.Range): number {
  return document.offsetAt(range.end) - document.offsetAt(range.start);
}
