import * as vscode from 'vscode';
import { ToolError } from '../../core/support/toolError.ts';
import { workspacePath, type Target } from '../../core/workspace/places.ts';
import type { PathContext } from '../../core/workspace/requestedPath.ts';
import { resolveTarget } from '../../core/workspace/resolveTarget.ts';
import { UserError } from '../errors.ts';
import { addressOf } from './files.ts';
import { workspaceFolders, toUri, type Machine } from './location.ts';

/** A place for a file in the workspace, links followed. */
export interface WorkspaceFile {
  readonly uri: vscode.Uri;
  /** As the person knows it. */
  readonly label: string;
  readonly isThere: boolean;
}

/** Looks up the path that a reply names. */
export type FindFile = (path: string) => Promise<WorkspaceFile>;

/**
 * The file that a reply names by a path, or where it would be. Where the workspace has several
 * folders and the path does not begin with the name of one, the first that has the file.
 * @throws {UserError} where it is no file, or lies outside of the workspace
 */
export async function findWorkspaceFile(
  path: string,
  machine: Pick<Machine, 'view' | 'platform'> | undefined,
): Promise<WorkspaceFile> {
  const folders = workspaceFolders();
  const names = folders.length > 1 ? folders.map((one) => workspacePath(one, [path], folders)) : [];
  let missing: WorkspaceFile | undefined;
  for (const candidate of [path, ...names]) {
    const found = await lookUp(candidate, machine);
    if (found?.isThere === true) return found;
    missing ??= found;
  }
  if (missing !== undefined) return missing;
  throw new UserError(vscode.l10n.t("“{0}” isn't a file in this workspace.", path));
}

/** Undefined for what is no place of a file in the workspace. */
async function lookUp(
  path: string,
  machine: Pick<Machine, 'view' | 'platform'> | undefined,
): Promise<WorkspaceFile | undefined> {
  const target = await resolve(path, pathContext(machine), machine);
  if (target?.inside !== true) return undefined;
  if (target.kind !== 'file' && target.kind !== 'missing') return undefined;
  const uri = toUri(addressOf(target));
  const type = await typeOf(uri);
  if (type !== undefined && (type & vscode.FileType.Directory) !== 0) return undefined;
  return { uri, label: target.label, isThere: type !== undefined };
}

function pathContext(machine: Pick<Machine, 'platform'> | undefined): PathContext {
  return { folders: workspaceFolders(), platform: machine?.platform ?? 'linux' };
}

async function resolve(
  path: string,
  given: PathContext,
  machine: Pick<Machine, 'view'> | undefined,
): Promise<Target | undefined> {
  try {
    return await resolveTarget(path, given, machine?.view);
  } catch (error) {
    // Its words are for a model.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

async function typeOf(uri: vscode.Uri): Promise<vscode.FileType | undefined> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type;
  } catch {
    return undefined;
  }
}
