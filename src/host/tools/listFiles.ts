import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { renderFiles } from '../../core/files/searchResults.ts';
import { foundPathLabel } from '../../core/files/fileSearch.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import {
  type FileSearchAt,
  readEach,
  requireExisting,
  scopeFor,
} from '../platform/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.optional(z.string().check(z.describe('Folder; default: workspace'))),
  pattern: z.optional(z.string().check(z.describe('Glob'))),
});

const maxFiles = 200_000;

/** `list_files`: lists the files of a folder, except ignored ones. */
export function listFilesTool(gate: ReadGate, searchAt: FileSearchAt): Tool {
  return defineTool({
    name: 'list_files',
    category: 'read',
    icon: 'list-tree',
    label: vscode.l10n.t('List Files'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 10_000,
    description: 'Lists files by folder. Skips files excluded by .gitignore or settings.',
    schema,
    title({ path = '', pattern = '' }) {
      if (path === '' && pattern === '') return vscode.l10n.t('List files');
      if (pattern === '') return vscode.l10n.t('List files in {0}', path);
      if (path === '') return vscode.l10n.t('List files matching {0}', pattern);
      return vscode.l10n.t('List files matching {0} in {1}', pattern, path);
    },
    async run({ path, pattern }, context) {
      const lists = await readEach(gate, path, context, async ({ value: target }) => {
        requireExisting(target);
        const scope = scopeFor(target, pattern, (root) => gate.leftOut(root, 'names'));
        const paths: string[] = [];
        const collect = (found: string): boolean => {
          paths.push(foundPathLabel(target, scope.start, found));
          return paths.length < maxFiles;
        };
        const search = await searchAt(target.location);
        await search.files(scope, collect, context.signal);
        return paths;
      });
      const paths = lists.flat();
      if (paths.length === 0) return 'No matching files, or they are ignored.';
      const more = paths.length < maxFiles ? '' : 'More than ';
      const files = paths.length === 1 ? 'file' : 'files';
      return `${more}${paths.length} ${files}\n${renderFiles(paths)}`;
    },
  });
}
