import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { createFile, type EditingOptions } from '../changes/editing.ts';

/** Milliseconds. */
const deadline = 30_000;

/** `create_file`: creates a file and its folders. */
export function createFileTool(options: EditingOptions): Tool {
  return defineTool({
    name: 'create_file',
    category: 'edit',
    icon: 'new-file',
    label: vscode.l10n.t('Create File'),
    summary: {
      many: vscode.l10n.t('Edit {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Edit 1 file') },
    },
    deadline,
    description: 'Creates a file and its folders. Fails if it exists.',
    schema: z.strictObject({ path: z.string(), content: z.string() }),
    title: ({ path }) => vscode.l10n.t('Create {0}', path),
    run: ({ path, content }, context) => createFile(path, content, options, context),
  });
}
