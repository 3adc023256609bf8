import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { oneLine, visibleName } from '../../core/support/text.ts';
import type { Dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import { labelFor } from '../workspace/location.ts';
import { notebookText } from '../workspace/notebooks.ts';
import { attachmentOf } from '../workspace/selection.ts';
import { maxCharacters } from './fileParts.ts';

/** The most characters of a cell's beginning that a list shows. */
const maxShown = 80;

/**
 * A notebook as its cells without outputs, or the cells that the person chooses of a long one.
 * @throws {UserError} if VS Code can't open it, or it is empty
 */
export async function notebookParts(
  uri: vscode.Uri,
  dialogs: Dialogs,
): Promise<readonly Attachment[]> {
  const notebook = await openToAttach(uri);
  const path = labelFor(uri);
  const text = notebookText(notebook);
  if (text === '') throw new UserError(vscode.l10n.t('{0} is empty.', visibleName(path)));
  if (text.length <= maxCharacters) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return [{ id: newId(), kind: 'file', name, path, language: '', text }];
  }
  return chooseCells(notebook, dialogs);
}

async function openToAttach(uri: vscode.Uri): Promise<vscode.NotebookDocument> {
  try {
    return await vscode.workspace.openNotebookDocument(uri);
  } catch {
    throw new UserError(
      vscode.l10n.t("{0} can't be opened as a notebook.", visibleName(labelFor(uri))),
    );
  }
}

async function chooseCells(
  notebook: vscode.NotebookDocument,
  dialogs: Dialogs,
): Promise<readonly Attachment[]> {
  const choices = notebook.getCells().flatMap((cell) => {
    const text = cell.document.getText();
    if (text.trim() === '' || text.length > maxCharacters) return [];
    const label = vscode.l10n.t('Cell {0}', cell.index + 1);
    return [{ label, description: oneLine(text, maxShown), value: cell }];
  });
  const name = visibleName(labelFor(notebook.uri));
  const title = vscode.l10n.t('{0} is too large to attach in full. Select parts.', name);
  const chosen = await dialogs.pickSeveral(choices, title);
  return chosen.flatMap(({ document }) => {
    const attachment = attachmentOf(document, undefined, newId());
    return attachment === undefined ? [] : [{ ...attachment, kind: 'selection' as const }];
  });
}
