import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { pathLine } from '../../core/support/text.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { numberLines, splitLines } from '../../core/files/fileText.ts';
import { labelFor, fileOf } from '../platform/location.ts';
import { ProviderFiles, readEach } from '../platform/workspacePlaces.ts';

const maxSelectionLength = 8000;
const maxFiles = 100;

/** `get_editor_state`: describes the person's editors. */
export function getEditorStateTool(gate: ReadGate): Tool {
  return defineTool({
    name: 'get_editor_state',
    category: 'read',
    icon: 'window',
    label: vscode.l10n.t('Get Editor State'),
    summary: { many: vscode.l10n.t('View open editors {0} times') },
    deadline: 10_000,
    description: 'The active file, selection and open files.',
    schema: z.strictObject({}),
    title: () => vscode.l10n.t('View open editors'),
    async run(_, context) {
      // Reading may require approval. Without a folder there is nothing to approve.
      if ((vscode.workspace.workspaceFolders ?? []).length > 0)
        await readEach(gate, undefined, context, () => Promise.resolve());
      const editor = vscode.window.activeTextEditor;
      const isActive = editor !== undefined && mayName(editor.document.uri, gate);
      const active = isActive ? await describe(editor, gate) : 'No text editor is active.';
      const open = openFiles(gate);
      if (open.length === 0) return active;
      const more = open.length > maxFiles ? [`(${open.length - maxFiles} more)`] : [];
      return [active, '', 'Open files:', ...open.slice(0, maxFiles), ...more].join('\n');
    },
  });
}

/** Includes the selected text if the file is in the workspace and readable. */
async function describe(
  { document, selection, visibleRanges }: vscode.TextEditor,
  gate: ReadGate,
): Promise<string> {
  const [visible] = visibleRanges;
  const lines = [`Active: ${nameOf(document.uri)}${document.isDirty ? ', not saved' : ''}`];
  if (visible !== undefined) {
    lines.push(`Visible: lines ${visible.start.line + 1}-${visible.end.line + 1}`);
  }
  if (selection.isEmpty) return [...lines, `Cursor: line ${selection.active.line + 1}`].join('\n');
  lines.push(`Selected: lines ${selection.start.line + 1}-${selection.end.line + 1}`);
  const mayShow = await new ProviderFiles(gate).mayShow(document.uri);
  return [...lines, mayShow ? selectedText(document, selection) : '(not shown)'].join('\n');
}

function selectedText(document: vscode.TextDocument, selection: vscode.Selection): string {
  const { start, end } = selection;
  const text = document.getText();
  const { text: masked } = maskSecrets(text);
  // A part of a secret doesn't look like a secret.
  if (start.line === end.line && masked === text) return document.getText(selection);
  const lines = splitLines(masked);
  const isLineStart = end.character === 0 && end.line > start.line;
  const range = { start: start.line + 1, end: end.line + (isLineStart ? 0 : 1) };
  const { text: numbered, last } = numberLines(lines, range, maxSelectionLength);
  return last < range.end ? `${numbered}\n(Cut: read on from line ${last + 1}.)` : numbered;
}

function mayName(uri: vscode.Uri, gate: ReadGate): boolean {
  const { scheme, authority, path } = fileOf(uri);
  return !gate.leftOut({ scheme, authority, path: '/' }, 'names').has(path);
}

function openFiles(gate: ReadGate): readonly string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const names = tabs.flatMap(({ input, isDirty }) => {
    if (!(input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook)) {
      return [];
    }
    if (!mayName(input.uri, gate)) return [];
    return [`${nameOf(input.uri)}${isDirty ? ', not saved' : ''}`];
  });
  return [...new Set(names)];
}

/** Documents other than files, such as settings pages, are identified by URI. */
function nameOf(uri: vscode.Uri): string {
  return pathLine(uri.scheme === 'untitled' ? `${uri.path} (no file yet)` : labelFor(uri));
}
