import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import {
  foundPathLabel,
  relativePath,
  type FoundLine,
  type SearchScope,
} from '../../core/files/fileSearch.ts';
import { compileGlobs } from '../../core/files/globs.ts';
import { SearchResults } from '../../core/files/searchResults.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { Target } from '../../core/files/places.ts';
import {
  type FileSearchAt,
  RegularFiles,
  readEach,
  requireExisting,
  scopeFor,
} from '../platform/workspacePlaces.ts';
import { toUri } from '../platform/location.ts';

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;

const schema = z.strictObject({
  query: z.string(),
  regex: z.optional(z.boolean()),
  path: z.optional(z.string().check(z.describe('File or folder'))),
  include: z.optional(z.string().check(z.describe('Glob'))),
  context: z.optional(z.number().check(z.refine(isCount, 'must be a whole number'))),
  skip: z.optional(z.number().check(z.refine(isCount, 'must be a whole number'))),
});

const maxContext = 20;
const maxQueryLength = 2000;

/** `search_text`: finds lines of files, including unsaved changes. */
export function searchTextTool(gate: ReadGate, searchAt: FileSearchAt): Tool {
  return defineTool({
    name: 'search_text',
    category: 'read',
    icon: 'search',
    label: vscode.l10n.t('Search Text'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 30_000,
    description:
      'Finds lines in workspace files that are not ignored. A lowercase query ignores case.',
    schema,
    title({ query, path = '', include = '' }) {
      const scope = [path, include].filter((part) => part !== '').join(' ');
      if (scope === '') return vscode.l10n.t('Search for {0}', query);
      return vscode.l10n.t('Search for {0} in {1}', query, scope);
    },
    async run({ query: text, regex = false, path, include, context = 0, skip = 0 }, call) {
      if (text === '' || text.length > maxQueryLength)
        throw new ToolError(`A query must have 1 to ${maxQueryLength} characters.`);
      if (/[\n\r]/.test(text)) throw new ToolError('A query must be a single line.');
      const query = { text, isRegex: regex, context: Math.min(context, maxContext) };
      const search = async (isOrdered: boolean): Promise<SearchResults> => {
        const results = new SearchResults();
        await readEach(gate, path, call, async ({ value: target }) => {
          requireExisting(target);
          const scope = scopeFor(target, include, (root) => gate.leftOut(root, 'content'));
          const files = await searchAt(target.location);
          const add = (line: FoundLine): boolean =>
            results.add({ ...line, path: foundPathLabel(target, scope.start, line.path) });
          const unsaved = await unsavedBelow(target, scope);
          for (const [name, unsavedText] of unsaved) {
            const masked = maskSecrets(unsavedText).text;
            for (const line of await files.linesOf(name, masked, query, call.signal)) add(line);
          }
          if (results.isFull) return;
          const addSaved = (line: FoundLine): boolean => unsaved.has(line.path) || add(line);
          await files.lines(scope, { ...query, isOrdered }, addSaved, call.signal);
        });
        return results;
      };
      const first = await search(false);
      // An early stop depends on timing: only an ordered search finds the same lines again.
      const results = first.isFull ? await search(true) : first;
      return results.render(skip);
    },
  });
}

/** Texts of unsaved documents in the scope, by path; files behind links are excluded. */
async function unsavedBelow(
  target: Target,
  scope: SearchScope,
): Promise<ReadonlyMap<string, string>> {
  const unsaved = new Map<string, string>();
  const plain = new RegularFiles();
  const isIncluded = scope.include.length === 0 ? () => true : compileGlobs(scope.include);
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || document.isUntitled) continue;
    const path = pathInScope(document.uri, target, scope);
    if (path === undefined || !isIncluded(path) || scope.leftOut.has(path)) continue;
    if (!(await plain.has(document.uri))) continue;
    unsaved.set(path, document.getText());
  }
  return unsaved;
}

/** A document may be open under its named or its real path. */
function pathInScope(
  uri: vscode.Uri,
  { location, named }: Target,
  { start }: SearchScope,
): string | undefined {
  for (const root of [named, location]) {
    const { scheme, authority } = toUri(root);
    if (uri.scheme !== scheme || uri.authority !== authority) continue;
    const below = relativePath(root.path, uri.path);
    if (below !== undefined) return [start, below].filter((part) => part !== '').join('/');
  }
  return undefined;
}
