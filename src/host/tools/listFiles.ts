import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import { renderFiles } from '../../core/search/fileList.ts';
import { foundPathLabel } from '../../core/search/fileSearch.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { Target } from '../../core/workspace/places.ts';
import type { FileSearchAt } from '../workspace/fileSearches.ts';
import { readEach, requireExisting, scopeFor } from '../workspace/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.optional(z.string().check(z.describe('Folder; default: workspace'))),
  pattern: z.optional(z.string().check(z.describe('Glob'))),
});

const maxFiles = 200_000;

interface ListFilesOptions {
  readonly gate: ReadGate;
  readonly searchAt: FileSearchAt;
}

/** `list_files`: lists the files of a folder, except ignored ones. */
export function listFilesTool(options: ListFilesOptions): Tool {
  return defineTool({
    name: 'list_files',
    category: 'read',
    icon: 'list-tree',
    label: vscode.l10n.t('List Files'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 10_000,
    description: 'Lists files by folder. Skips files excluded by .gitignore or settings.',
    schema,
    title: titleOf,
    async run({ path, pattern }, context) {
      const paths = await readEach(options.gate, path, context, (target) =>
        pathsBelow(options, target, pattern, context.signal),
      );
      return describe(paths.flat());
    },
  });
}

function titleOf({ path = '', pattern = '' }: z.infer<typeof schema>): string {
  if (path === '' && pattern === '') return vscode.l10n.t('List files');
  if (pattern === '') return vscode.l10n.t('List files in {0}', path);
  if (path === '') return vscode.l10n.t('List files matching {0}', pattern);
  return vscode.l10n.t('List files matching {0} in {1}', pattern, path);
}

async function pathsBelow(
  { gate, searchAt }: ListFilesOptions,
  { value: target }: Approved<Target>,
  pattern: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  requireExisting(target);
  const scope = scopeFor(target, pattern, (root) => gate.leftOut(root, 'names'));
  const paths: string[] = [];
  const collect = (path: string): boolean => {
    paths.push(foundPathLabel(target, scope.start, path));
    return paths.length < maxFiles;
  };
  const search = await searchAt(target.location);
  await search.files(scope, collect, signal);
  return paths;
}

function describe(paths: readonly string[]): string {
  if (paths.length === 0) return 'No matching files, or they are ignored.';
  const more = paths.length < maxFiles ? '' : 'More than ';
  return `${more}${paths.length} ${paths.length === 1 ? 'file' : 'files'}\n${renderFiles(paths)}`;
}
