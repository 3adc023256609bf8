import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../support/paths.ts';
import { runCommand } from '../../support/runCommand.ts';
import { runNpm } from '../../support/runNpm.ts';
import { findVersion } from '../findVersion.ts';

const folder = join(projectFolder, 'test/bench/rivals');

export const streamdown = 'test/bench/rivals/streamdown.tsx';
export const reactMarkdown = 'test/bench/rivals/reactMarkdown.tsx';

/** Installs the libraries for comparison if they are missing, and resolves with their versions. */
export async function installRivals(): Promise<readonly string[]> {
  if (!existsSync(join(folder, 'node_modules/streamdown'))) {
    console.log('Installing what is compared with.');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const code = await runNpm(['ci', ...quiet], { folder });
    if (code !== 0) throw new Error(`npm could not install into ${folder} (exit code ${code}).`);
  }
  await checkTypes();
  const names = ['streamdown', '@streamdown/code', 'react-markdown', 'remark-gfm'];
  return [...names, 'rehype-highlight', 'react'].map((name) => findVersion(name, folder));
}

/** Checked here, since the project's own check excludes this folder, which may not be installed. */
async function checkTypes(): Promise<void> {
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const code = await runCommand(process.execPath, [compiler, '-p', folder]);
  if (code !== 0) throw new Error('The adapters of what is compared with have wrong types.');
}
