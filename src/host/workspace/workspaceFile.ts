import * as vscode from 'vscode';
import { ToolError } from '../../core/support/toolError.ts';
import { workspacePath, type Target } from '../../core/workspace/places.ts';
import type { PathContext } from '../../core/workspace/requestedPath.ts';
import { resolveTarget } from '../../core/workspace/resolveTarget.ts';
import { UserError } from '../errors.ts';
import { addressOf } from './files.ts';
import { workspaceFolders, toUri, type Machine } from './location.ts';

/** A file in the workspace that exists or could be created, links followed. */
export interface WorkspaceFile {
  readonly uri: vscode.Uri;
  /** As the person knows it. */
  readonly label: string;
  readonly isThere: boolean;
}

/** Looks up a path from a reply. */
export type FindFile = (path: string) => Promise<WorkspaceFile>;

/**
 * Finds the file for a path from a reply, or the place where it would be. Where the workspace has
 * several folders and the path does not begin with the name of one, the first that has the file.
 * @throws {UserError} where it is no file, or is outside the workspace
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

/** Undefined where no file of the workspace can have this path. */
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
    // Its message is for a model.
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
