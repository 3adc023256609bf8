import { access, constants } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** The places of ripgrep in the different versions of VS Code. */
function placesOf(platform: string, architecture: string): readonly string[] {
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  const universal = `@vscode/ripgrep-universal/bin/${platform}-${architecture}/${name}`;
  const places = [universal, `@vscode/ripgrep/bin/${name}`];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((folder) =>
    places.map((place) => join(folder, place)),
  );
}

/**
 * The absolute path of the ripgrep of VS Code; undefined where it has none that can run. No other
 * place is searched: a program of that name could be anyone's.
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
