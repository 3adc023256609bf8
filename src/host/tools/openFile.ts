import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { cellAtLine } from '../../core/edits/notebookText.ts';
import { pathLine } from '../../core/support/text.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { lineNumber } from '../../core/files/fileText.ts';
import { openTarget } from '../platform/files.ts';
import { notebookUri, openNotebook, cellTexts } from '../platform/notebooks.ts';

const schema = z.strictObject({ path: z.string(), line: z.optional(lineNumber()) });

/**
 * `open_file`: shows a file. Its category is `read`: it changes nothing, and doesn't take the
 * focus.
 */
export function openFileTool(gate: ReadGate): Tool {
  return defineTool({
    name: 'open_file',
    category: 'read',
    icon: 'go-to-file',
    label: vscode.l10n.t('Open File'),
    summary: {
      many: vscode.l10n.t('Open {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Open 1 file') },
    },
    deadline: 10_000,
    description: 'Shows the person a file. You get no content.',
    schema,
    title: ({ path }) => vscode.l10n.t('Open {0}', path),
    run: ({ path, line }, context) =>
      gate.open(path, 'editor', context, async (target) => {
        const { label } = target.value;
        const notebook = notebookUri(target.value);
        if (notebook !== undefined) await showNotebook(await openNotebook(notebook, label), line);
        else {
          const { document } = await openTarget(target, gate);
          context.signal.throwIfAborted();
          await showDocument(document, line);
        }
        return `${pathLine(label)} is shown.`;
      }),
  });
}

/** Reveals the cell that contains the line of the notebook's text. */
async function showNotebook(
  notebook: vscode.NotebookDocument,
  line: number | undefined,
): Promise<void> {
  const editor = await vscode.window.showNotebookDocument(notebook, { preserveFocus: true });
  const cell = line === undefined ? undefined : cellAtLine(cellTexts(notebook), line);
  if (cell === undefined) return;
  const range = new vscode.NotebookRange(cell, cell + 1);
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}

async function showDocument(
  document: vscode.TextDocument,
  line: number | undefined,
): Promise<void> {
  const wasShown = vscode.window.visibleTextEditors.some(
    (visible) => visible.document === document,
  );
  const editor = await vscode.window.showTextDocument(document, { preserveFocus: true });
  if (line === undefined) return;
  const position = new vscode.Position(Math.min(line, document.lineCount) - 1, 0);
  // The cursor of a visible editor doesn't move.
  if (!wasShown) editor.selection = new vscode.Selection(position, position);
  editor.revealRange(
    new vscode.Range(position, position),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}
