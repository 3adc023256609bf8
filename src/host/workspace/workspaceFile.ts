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
  readonly label: string;
  readonly isThere: boolean;
}

export type FindFile = (path: string) => Promise<WorkspaceFile>;

/**
 * Finds the file for a path from a reply, or the location where it would be. If the workspace has
 * several folders and the path doesn't begin with the name of one, the first folder that has the file
 * is used.
 * @throws {UserError} if it isn't a file, or is outside the workspace
 */
export async function findWorkspaceFile(
  path: string,
  machine: Machine | undefined,
): Promise<WorkspaceFile> {
  const folders = workspaceFolders();
  const names =
    folders.length > 1 ? folders.map((folder) => workspacePath(folder, [path], folders)) : [];
  let missing: WorkspaceFile | undefined;
  for (const candidate of [path, ...names]) {
    const file = await lookUp(candidate, machine);
    if (file?.isThere === true) return file;
    missing ??= file;
  }
  if (missing !== undefined) return missing;
  throw new UserError(vscode.l10n.t("“{0}” isn't a file in this workspace.", path));
}

/** Undefined if no file of the workspace can have this path. */
async function lookUp(
  path: string,
  machine: Machine | undefined,
): Promise<WorkspaceFile | undefined> {
  const target = await resolve(
    path,
    { folders: workspaceFolders(), platform: machine?.platform ?? 'linux' },
    machine,
  );
  if (target?.inside !== true) return undefined;
  if (target.kind !== 'file' && target.kind !== 'missing') return undefined;
  const uri = toUri(addressOf(target));
  const type = await typeOf(uri);
  if (type !== undefined && (type & vscode.FileType.Directory) !== 0) return undefined;
  return { uri, label: target.label, isThere: type !== undefined };
}

async function resolve(
  path: string,
  context: PathContext,
  machine: Machine | undefined,
): Promise<Target | undefined> {
  try {
    return await resolveTarget(path, context, machine?.view);
  } catch (error) {
    // The message of a `ToolError` is for a model.
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
