import { isAbsolute, join } from 'node:path';
import { firstRunnable } from './firstRunnable.ts';

/** The paths of ripgrep in the different versions of VS Code, relative to its root. */
function placesOf(platform: string, architecture: string): readonly string[] {
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  const universal = `@vscode/ripgrep-universal/bin/${platform}-${architecture}/${name}`;
  const places = [universal, `@vscode/ripgrep/bin/${name}`];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((folder) =>
    places.map((path) => join(folder, path)),
  );
}

/**
 * The absolute path of VS Code's ripgrep; undefined if there is none that can run. No other
 * location is searched, since a program with that name could be anything.
 *
 * @param appRoot `vscode.env.appRoot`
 */
export async function findRipgrep(
  appRoot: string,
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<string | undefined> {
  if (!isAbsolute(appRoot)) return undefined;
  return firstRunnable(placesOf(platform, architecture).map((path) => join(appRoot, path)));
}
