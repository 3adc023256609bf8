import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { outFolder } from '../paths.ts';
import { hasScreen } from './hasScreen.ts';

/**
 * Executable that runs a suite: desktop VS Code if there is a screen and the download succeeds,
 * otherwise the launcher. `ASIDE_VSCODE` is `server`, or a version of desktop VS Code.
 */
export async function findVsCode(): Promise<string> {
  const requested = process.env['ASIDE_VSCODE'];
  if (requested === 'server' || (requested === undefined && !hasScreen())) return makeLauncher();
  try {
    return await downloadAndUnzipVSCode(requested);
  } catch (error) {
    console.warn('Desktop VS Code could not be downloaded, so a served one runs the suite.', error);
    return makeLauncher();
  }
}

/**
 * Writes the script each time, because it contains the path of this Node: the one on the PATH may
 * be too old.
 */
async function makeLauncher(): Promise<string> {
  const script = join(import.meta.dirname, 'launcher.ts');
  const windows = process.platform === 'win32';
  const file = join(outFolder, 'test', windows ? 'launcher.cmd' : 'launcher');
  const text = windows
    ? `@"${process.execPath}" "${script}" %*\r\n`
    : `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`;
  await mkdir(join(outFolder, 'test'), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}
