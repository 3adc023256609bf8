import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate, VisibleFiles } from '../../core/approval/gate.ts';
import { relativePath } from '../../core/search/fileSearch.ts';
import { maskDiff } from '../../core/support/secretTokens.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { renderChanges, type RepositoryChange } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { Location, Target } from '../../core/workspace/places.ts';
import {
  gitRepositories,
  untracked,
  statusName,
  type GitChange,
  type GitRepository,
  type ReadRepository,
  type RepositoryReader,
} from '../workspace/git.ts';
import { labelFor, toLocation } from '../workspace/location.ts';
import { readEach } from '../workspace/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.optional(z.string().check(z.describe('File or folder'))),
});

const maxFiles = 60;

interface ChangesOptions {
  readonly gate: ChangesGate;
  readonly readRepository: ReadRepository;
}

/** `get_changes`: compares the workspace with the last commit, including staged changes. */
export function getChangesTool(options: ChangesOptions & { readonly gate: ReadGate }): Tool {
  const { gate, readRepository } = options;
  return defineTool({
    name: 'get_changes',
    category: 'read',
    icon: 'diff',
    label: vscode.l10n.t('Get Changes'),
    summary: { many: vscode.l10n.t('View changes {0} times') },
    deadline: 30_000,
    description: 'The Git diff of the workspace against the last commit, staged or not.',
    schema,
    title: titleOf,
    async run({ path }, context) {
      const targets = await readEach(gate, path, context, ({ value }) => Promise.resolve(value));
      const texts = await changesBelow(targets, { gate, readRepository }, context.signal);
      if (texts.length === 0) throw new ToolError('No Git repository contains this path.');
      return texts.join('\n\n');
    },
  });
}

function titleOf({ path = '' }: z.infer<typeof schema>): string {
  if (path === '') return vscode.l10n.t('View changes');
  return vscode.l10n.t('View changes in {0}', path);
}

/** Decides which files of a repository are listed, and which diffs are sent. */
export interface ChangesGate extends VisibleFiles {
  /**
   * Asks before sending a diff that may contain a secret. If undefined, secrets are masked instead.
   */
  readonly maySend?: (uri: vscode.Uri, diff: string) => Promise<boolean>;
}

/** Formats the changes of all repositories that overlap with the targets. */
export async function changesBelow(
  targets: readonly Place[],
  options: ChangesOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const repository of await gitRepositories()) {
    signal.throwIfAborted();
    const text = await changesOf(repository, targets, options, signal);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** A file or folder with its named and its real path. */
type Place = Pick<Target, 'location' | 'named'>;

/** Undefined if the repository does not overlap with the targets. */
async function changesOf(
  repository: GitRepository,
  targets: readonly Place[],
  { gate, readRepository }: ChangesOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { rootUri, state } = repository;
  if (!targets.some((target) => touches(target, rootUri))) return undefined;
  // The cached state may lack recent changes.
  await repository.status();
  const unlisted = gate.leftOut(toLocation(rootUri), 'names');
  const isListed = ({ changed }: Change): boolean =>
    targets.some((target) => isBelow(target, changed.uri)) &&
    namesOf(changed).every((uri) => !unlisted.has(pathIn(repository, uri)));
  const changes = [...byFile(state).values()].filter(isListed);
  const files: RepositoryChange[] = [];
  const reader = await readRepository(rootUri.fsPath);
  for (const change of changes.slice(0, maxFiles)) {
    signal.throwIfAborted();
    files.push(await changedFile({ repository, reader, targets, gate }, change));
  }
  const { name, commit = '' } = state.HEAD ?? {};
  const text = renderChanges(name ?? commit.slice(0, 8), files);
  if (changes.length <= maxFiles) return text;
  return `${text}\n\n(${changes.length - maxFiles} more files not shown: call it with a path.)`;
}

function pathIn({ rootUri }: GitRepository, { path }: vscode.Uri): string {
  return relativePath(rootUri.path, path) ?? path;
}

/** True if one contains the other. */
function touches(target: Place, root: vscode.Uri): boolean {
  return (
    isBelow(target, root) ||
    locationsOf(target).some(({ path }) => relativePath(root.path, path) !== undefined)
  );
}

function isBelow(target: Place, { scheme, path }: vscode.Uri): boolean {
  return locationsOf(target).some(
    (location) => location.scheme === scheme && relativePath(location.path, path) !== undefined,
  );
}

/** Git may report either path. */
function locationsOf({ location, named }: Place): readonly Location[] {
  return [location, named];
}

interface Change {
  readonly changed: GitChange;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
}

function byFile(state: GitRepository['state']): ReadonlyMap<string, Change> {
  const files = new Map<string, Change>();
  const { indexChanges, workingTreeChanges, mergeChanges, untrackedChanges = [] } = state;
  for (const changed of indexChanges) {
    files.set(changed.uri.toString(), { changed, isStaged: true, isUnstaged: false });
  }
  for (const changed of [...mergeChanges, ...workingTreeChanges, ...untrackedChanges]) {
    const key = changed.uri.toString();
    const staged = files.get(key);
    const isStaged = staged?.isStaged === true;
    files.set(key, { changed: staged?.changed ?? changed, isStaged, isUnstaged: true });
  }
  return files;
}

interface RepositoryContext {
  readonly repository: GitRepository;
  readonly reader: RepositoryReader;
  readonly targets: readonly Place[];
  readonly gate: ChangesGate;
}

async function changedFile(
  { repository, reader, targets, gate }: RepositoryContext,
  { changed, isStaged, isUnstaged }: Change,
): Promise<RepositoryChange> {
  const { uri, renameUri = uri, status } = changed;
  const base = { label: labelFor(renameUri), status: statusName(status), isStaged, isUnstaged };
  const mayShow = (name: vscode.Uri): boolean =>
    (vscode.workspace.getWorkspaceFolder(name) !== undefined ||
      targets.some((target) => isBelow(target, name))) &&
    gate.mayShow(labelFor(name));
  const hidden = { ...base, diff: '', note: 'It may contain secrets: not shown.' };
  if (!namesOf(changed).every(mayShow)) return hidden;
  if (status === untracked) return { ...base, diff: '', note: 'Read the file.' };
  const difference = await differenceOf(reader, pathIn(repository, renameUri));
  const { diff } = difference;
  if (gate.maySend === undefined) return { ...base, ...difference, diff: maskDiff(diff) };
  return (await gate.maySend(renameUri, diff)) ? { ...base, ...difference } : hidden;
}

function namesOf({ uri, originalUri, renameUri = uri }: GitChange): readonly vscode.Uri[] {
  return [uri, originalUri, renameUri];
}

async function differenceOf(
  reader: RepositoryReader,
  path: string,
): Promise<Pick<RepositoryChange, 'diff' | 'note'>> {
  try {
    return { diff: await reader.diff({ base: 'HEAD', path, isStaged: false }) };
  } catch {
    // Before the first commit there is nothing to compare.
    return { diff: '', note: 'Read the file.' };
  }
}
