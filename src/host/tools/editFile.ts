import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { editFile, type EditingOptions } from '../changes/editing.ts';

/** Milliseconds; saving may wait for formatters. */
const deadline = 30_000;

const edit = z.strictObject({
  search: z
    .string()
    .check(z.describe('Whole lines that occur once in the file, without their numbers')),
  replace: z.string(),
});

/** `edit_file`: applies search and replace pairs, all or none. */
export function editFileTool(options: EditingOptions): Tool {
  return defineTool({
    name: 'edit_file',
    category: 'edit',
    icon: 'edit',
    label: vscode.l10n.t('Edit File'),
    summary: {
      many: vscode.l10n.t('Edit {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Edit 1 file') },
    },
    deadline,
    description: 'Replaces text in a file. Make all changes of a file in one call.',
    schema: z.strictObject({
      path: z.string(),
      edits: z.array(edit).check(z.describe('Applied in order, all or none')),
    }),
    title: ({ path }) => vscode.l10n.t('Edit {0}', path),
    run: ({ path, edits }, context) => editFile(path, edits, options, context),
  });
}
