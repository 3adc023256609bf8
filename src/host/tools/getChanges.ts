import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate, VisibleFiles } from '../../core/approval/gate.ts';
import { relativePath } from '../../core/files/fileSearch.ts';
import { orUndefined } from '../../core/support/background.ts';
import { maskDiff } from '../../core/support/secretTokens.ts';
import { pathLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { Target } from '../../core/files/places.ts';
import {
  gitRepositories,
  untracked,
  statusName,
  type GitChange,
  type GitRepository,
  type ReadRepository,
  type RepositoryReader,
  gitProblem,
} from '../platform/git.ts';
import { labelFor, toLocation } from '../platform/location.ts';
import { readEach } from '../platform/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.optional(z.string().check(z.describe('File or folder'))),
});

const maxFiles = 60;
/** Maximum characters of one file's diff if there are several, and of all diffs. */
const maxFileCharacters = 8_000;
const maxTotalCharacters = 32_000;

/** `get_changes`: compares the workspace with the last commit, including staged changes. */
export function getChangesTool(gate: ReadGate, readRepository: ReadRepository): Tool {
  return defineTool({
    name: 'get_changes',
    category: 'read',
    icon: 'diff',
    label: vscode.l10n.t('Get Changes'),
    summary: { many: vscode.l10n.t('View changes {0} times') },
    deadline: 30_000,
    description: 'The Git diff since the last commit, staged or not.',
    schema,
    title({ path = '' }) {
      if (path === '') return vscode.l10n.t('View changes');
      return vscode.l10n.t('View changes in {0}', path);
    },
    problem: gitProblem,
    async run({ path }, context) {
      const targets = await readEach(gate, path, context, ({ value }) => Promise.resolve(value));
      const texts = await changesBelow(targets, gate, readRepository, context.signal);
      if (texts.length === 0) throw new ToolError('No Git repository contains this path.');
      return texts.join('\n\n');
    },
  });
}

/** Decides which files of a repository are listed, and which diffs are sent. */
export interface ChangesGate extends VisibleFiles {
  /**
   * Asks before sending a diff that may contain a secret. If undefined, secrets are masked instead.
   */
  readonly maySend?: (uri: vscode.Uri, diff: string) => Promise<boolean>;
}

/** A file or folder with its named and its real path, either of which Git may report. */
type Place = Pick<Target, 'location' | 'named'>;

/** Formats the changes of all repositories that overlap with the targets. */
export async function changesBelow(
  targets: readonly Place[],
  gate: ChangesGate,
  readRepository: ReadRepository,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const repository of await gitRepositories()) {
    signal.throwIfAborted();
    const { rootUri } = repository;
    const isConcerned = targets.some(
      ({ location, named }) =>
        isBelow({ location, named }, rootUri) ||
        [location, named].some(({ path }) => relativePath(rootUri.path, path) !== undefined),
    );
    if (!isConcerned) continue;
    // The cached state may lack recent changes.
    await repository.status();
    const reader = await readRepository(rootUri.fsPath);
    texts.push(await changesOf(repository, reader, targets, gate, signal));
  }
  return texts;
}

async function changesOf(
  { rootUri, state }: GitRepository,
  reader: RepositoryReader,
  targets: readonly Place[],
  gate: ChangesGate,
  signal: AbortSignal,
): Promise<string> {
  const pathIn = ({ path }: vscode.Uri): string => relativePath(rootUri.path, path) ?? path;
  const unlisted = gate.leftOut(toLocation(rootUri), 'names');
  const changes = changesByFile(state).filter(
    ({ changed }) =>
      targets.some((target) => isBelow(target, changed.uri)) &&
      namesOf(changed).every((uri) => !unlisted.has(pathIn(uri))),
  );
  const mayShow = (name: vscode.Uri): boolean =>
    (vscode.workspace.getWorkspaceFolder(name) !== undefined ||
      targets.some((target) => isBelow(target, name))) &&
    gate.mayShow(labelFor(name));
  const files: RepositoryChange[] = [];
  for (const { changed, isStaged, isUnstaged } of changes.slice(0, maxFiles)) {
    signal.throwIfAborted();
    const { uri, renameUri = uri, status } = changed;
    const file = { label: labelFor(renameUri), status: statusName(status), isStaged, isUnstaged };
    let isAllowed = namesOf(changed).every(mayShow);
    let diff: string | undefined;
    if (isAllowed && status !== untracked) {
      const compared = { base: 'HEAD', path: pathIn(renameUri), isStaged: false } as const;
      // Before the first commit there is nothing to compare.
      diff = await orUndefined(reader.diff(compared));
      if (gate.maySend !== undefined) isAllowed = await gate.maySend(renameUri, diff ?? '');
      else if (diff !== undefined) diff = maskDiff(diff);
    }
    if (!isAllowed) files.push({ ...file, diff: '', note: 'It may contain secrets: not shown.' });
    else if (diff === undefined) files.push({ ...file, diff: '', note: 'Read the file.' });
    else files.push({ ...file, diff });
  }
  const { name, commit = '' } = state.HEAD ?? {};
  const text = renderChanges(name ?? commit.slice(0, 8), files);
  if (changes.length <= maxFiles) return text;
  return `${text}\n\n(${changes.length - maxFiles} more files not shown: call it with a path.)`;
}

function isBelow({ location, named }: Place, { scheme, path }: vscode.Uri): boolean {
  return [location, named].some(
    (folder) => folder.scheme === scheme && relativePath(folder.path, path) !== undefined,
  );
}

interface Change {
  readonly changed: GitChange;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
}

function changesByFile(state: GitRepository['state']): readonly Change[] {
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
  return [...files.values()];
}

function namesOf({ uri, originalUri, renameUri = uri }: GitChange): readonly vscode.Uri[] {
  return [uri, originalUri, renameUri];
}

/** A file with uncommitted changes. */
export interface RepositoryChange {
  /** Displayed path; after a rename, the new one. */
  readonly label: string;
  /** `modified`, `new`, `deleted`, `renamed from …`. */
  readonly status: string;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
  /** Git's diff; empty if there is none. */
  readonly diff: string;
  readonly note?: string;
}

/** The changes of a repository: a line for each file, followed by as much of its diff as fits. */
export function renderChanges(branch: string, files: readonly RepositoryChange[]): string {
  if (files.length === 0) return `No changes on ${branch}.`;
  let room = maxTotalCharacters;
  const parts = files.map((file) => {
    // The line above the diff already has the file's name and status.
    const start = file.diff.search(/^@@ /m);
    const diff = (start < 0 ? '' : file.diff.slice(start)).trimEnd();
    const limit = Math.min(room, files.length === 1 ? maxTotalCharacters : maxFileCharacters);
    const end = diff.length <= limit ? diff.length : Math.max(0, diff.lastIndexOf('\n', limit));
    const excerpt = diff.slice(0, end);
    room -= excerpt.length;
    const isCut = excerpt.length < diff.length;
    const note = isCut ? `(Cut: call it with path ${JSON.stringify(file.label)}.)` : '';
    const only = isCut && files.length === 1 ? '(Cut: read the file.)' : note;
    const stage = file.isStaged ? (file.isUnstaged ? 'partly staged' : 'staged') : 'not staged';
    const about = file.note === undefined ? '' : `. ${file.note}`;
    const head = `${pathLine(file.label)}: ${pathLine(file.status)}, ${stage}${about}`;
    return [head, excerpt, only].filter((part) => part !== '').join('\n');
  });
  return [`Changes on ${branch}:`, ...parts].join('\n\n');
}
