import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../support/paths.ts';
import { runCommand } from '../../support/runCommand.ts';
import { runNpm } from '../../support/runNpm.ts';
import { findVersion } from '../findVersion.ts';

const folder = join(projectFolder, 'test/bench/rivals');

export const streamdown = 'test/bench/rivals/streamdown.tsx';
export const reactMarkdown = 'test/bench/rivals/reactMarkdown.tsx';
export const incremark = 'test/bench/rivals/incremark.tsx';
export const markstream = 'test/bench/rivals/markstream.ts';
export const streamingMarkdown = 'test/bench/rivals/streamingMarkdown.ts';

const names = [
  ...[
    'streamdown',
    '@streamdown/code',
    'react-markdown',
    'remark-gfm',
    'rehype-highlight',
    'react',
  ],
  ...['@incremark/core', '@incremark/react', 'markstream-vue', 'stream-markdown', 'vue'],
  'streaming-markdown',
];

/** Installs the libraries for comparison if one is missing. Resolves with their versions. */
export async function installRivals(): Promise<readonly string[]> {
  if (!names.every((name) => existsSync(join(folder, 'node_modules', name)))) {
    console.log('Installing what is compared with.');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const code = await runNpm(['ci', ...quiet], { folder });
    if (code !== 0) throw new Error(`npm could not install into ${folder} (exit code ${code}).`);
  }
  await checkTypes();
  return names.map((name) => findVersion(name, folder));
}

/** The project's own type check excludes this folder, whose dependencies may be missing. */
async function checkTypes(): Promise<void> {
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const code = await runCommand(process.execPath, [compiler, '-p', folder]);
  if (code !== 0) throw new Error('The adapters of what is compared with have wrong types.');
}
