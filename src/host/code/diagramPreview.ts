import * as vscode from 'vscode';
import { diagramDocument, mayLoadAddress } from '../../core/code/diagrams.ts';
import { UserError } from '../errors.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';

/**
 * Shows a diagram of a reply in the Markdown preview, as a read-only document.
 *
 * @throws {UserError} if the diagram contains an address, since the preview may load images
 */
export async function previewDiagram(diagram: string, texts: ReadOnlyDocuments): Promise<void> {
  if (mayLoadAddress(diagram)) {
    throw new UserError(
      vscode.l10n.t(
        "Diagrams with addresses or images aren't previewed: the preview could load these from the network.",
      ),
    );
  }
  const uri = texts.keep(`${vscode.l10n.t('Diagram')}.md`, diagramDocument(diagram));
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}
