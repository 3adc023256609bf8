import { access, constants } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { fileSearches, type FileSearchAt } from '../workspace/fileSearches.ts';
import { toUri } from '../workspace/location.ts';
import { Ripgrep } from './ripgrep.ts';

/** By ripgrep as it comes with VS Code, where it is there. */
export async function createFileSearch(): Promise<FileSearchAt> {
  const program = await findRipgrep(vscode.env.appRoot);
  if (program === undefined) return fileSearches(undefined);
  return fileSearches(new Ripgrep({ program, toPath: (location) => toUri(location).fsPath }));
}

/** Where VS Code has it: by version, and packed or not. */
function placesOf(platform: string, architecture: string): readonly string[] {
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  const universal = `@vscode/ripgrep-universal/bin/${platform}-${architecture}/${name}`;
  const places = [universal, `@vscode/ripgrep/bin/${name}`];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((folder) =>
    places.map((place) => join(folder, place)),
  );
}

/**
 * The ripgrep of VS Code as an absolute path; undefined where it has none that can be run. It is
 * never looked for elsewhere: a program of that name may be anybody's.
 *
 * @param appRoot `vscode.env.appRoot`
 */
export async function findRipgrep(
  appRoot: string,
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<string | undefined> {
  if (!isAbsolute(appRoot)) return undefined;
  for (const place of placesOf(platform, architecture)) {
    const program = join(appRoot, place);
    if (await isRunnable(program)) return program;
  }
  return undefined;
}

async function isRunnable(program: string): Promise<boolean> {
  try {
    await access(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
