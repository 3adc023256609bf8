/** Files with front matter in a workspace and in the user's own folder: prompts and presets. */
import * as vscode from 'vscode';
import { visibleName } from '../../core/support/text.ts';
import type { SkillProblem } from '../../core/turn/instructionFile.ts';
import { sniffContent } from '../../core/files/fileText.ts';
import { UserError } from '../platform/errors.ts';
import { RegularFiles } from '../platform/workspacePlaces.ts';

/** A command of the composer: `/name`. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What can be typed after the name. */
  readonly hint?: string;
  /** The path of the skill that it attaches. */
  readonly skill?: string;
}

/** Maximum size of a file in bytes, and number of files in a folder. */
const maxFileBytes = 400_000;
const maxFiles = 200;

/** A folder with such files. */
export interface CustomFolder {
  /** Prefix that distinguishes files of the same name. */
  readonly key: string;
  readonly detail: string;
  readonly folder: vscode.Uri;
  /** True for a file in the user's own folder, where links are followed. */
  readonly isOwn: boolean;
}

export interface CustomFile extends CustomFolder {
  readonly uri: vscode.Uri;
  readonly fileName: string;
}

/**
 * The files of a folder with a suffix. In a workspace, links are excluded: in a repository, they
 * may point anywhere.
 */
export async function customFilesIn(
  folder: CustomFolder,
  suffix: string,
): Promise<readonly CustomFile[]> {
  // Most workspaces have no such folder.
  const entries = await vscode.workspace.fs
    .readDirectory(folder.folder)
    .then(undefined, (): [string, vscode.FileType][] => []);
  const files = entries
    .filter(([, type]) =>
      // In the person's own folder, a link to a file is one.
      folder.isOwn ? (type & vscode.FileType.File) !== 0 : type === vscode.FileType.File,
    )
    .filter(([fileName]) => fileName.endsWith(suffix))
    .slice(0, maxFiles)
    .map(([fileName]) => ({
      ...folder,
      fileName,
      uri: vscode.Uri.joinPath(folder.folder, fileName),
    }));
  if (folder.isOwn) return files;
  const regular = new RegularFiles();
  const isReached = await Promise.all(files.map(({ uri }) => regular.has(uri)));
  return files.filter((_, index) => isReached[index]);
}

/** Files in the same order, those of the person's own folder before those of repositories. */
export function ownFirst<T extends { readonly isOwn: boolean }>(files: readonly T[]): readonly T[] {
  return [...files.filter(({ isOwn }) => isOwn), ...files.filter(({ isOwn }) => !isOwn)];
}

/** The text of a file, or the reason why it has none. */
type CustomText = { readonly text: string } | { readonly problem: 'too long' | 'not text' };

/**
 * Reads such a file, in UTF-8.
 * @throws {UserError} where the file of a repository became a link since it was listed (threats: T22)
 */
export async function readCustomFile(uri: vscode.Uri, isOwn: boolean): Promise<CustomText> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxFileBytes) return { problem: 'too long' };
  const bytes = isOwn
    ? await vscode.workspace.fs.readFile(uri)
    : await new RegularFiles().read(uri);
  if (bytes !== undefined) {
    if (sniffContent(bytes) !== 'utf-8' || bytes.includes(0)) return { problem: 'not text' };
    return { text: new TextDecoder().decode(bytes) };
  }
  const path = vscode.workspace.asRelativePath(uri);
  throw new UserError(
    vscode.l10n.t('{0} changed while it was being read. Try again.', visibleName(path)),
  );
}

/** Tells the person why a file can't be used. */
export function fileProblemText(uri: vscode.Uri, problem: SkillProblem): string {
  const file = visibleName(vscode.workspace.asRelativePath(uri));
  const words: Readonly<Record<SkillProblem, string>> = {
    name: vscode.l10n.t("The name of {0} can't be typed as a command. Rename the file.", file),
    'skill name': vscode.l10n.t(
      'Neither the name in {0} nor that of its folder can be typed as a command. Use letters, digits and hyphens.',
      file,
    ),
    'front matter': vscode.l10n.t(
      "The front matter of {0} isn't closed. Add a line with ---.",
      file,
    ),
    description: vscode.l10n.t(
      '{0} has no description. Add one between two lines with --- at its beginning.',
      file,
    ),
    empty: vscode.l10n.t('{0} has no prompt. Write what the model should do.', file),
    link: vscode.l10n.t('{0} is behind a link that may lead anywhere.', file),
    'too long': vscode.l10n.t('{0} is too long for a prompt.', file),
    'not text': vscode.l10n.t("{0} can't be read as text.", file),
  };
  return words[problem];
}

/** Opens a folder of the user's own files in the system's file explorer. */
export async function openOwnFolder(storage: vscode.Uri, name: string): Promise<void> {
  const folder = vscode.Uri.joinPath(storage, name);
  await vscode.workspace.fs.createDirectory(folder);
  if (vscode.env.uiKind === vscode.UIKind.Web) {
    const path = folder.scheme === 'file' ? folder.fsPath : folder.toString(true);
    throw new UserError(vscode.l10n.t("Folders can't be shown in a browser: {0}", path));
  }
  await vscode.commands.executeCommand('revealFileInOS', folder);
}
