import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { npmInstall } from '../runNpm.ts';
import { runCommand } from '../runCommand.ts';
import type { Browser } from './findBrowser.ts';

const version = '153';
const script = "(await import('@sparticuz/chromium')).default.executablePath()";

/**
 * Unpacks a headless Chromium that is packaged for npm with the system libraries it needs.
 * Undefined if there is none for this platform.
 */
export async function unpackBrowser(folder: string): Promise<Browser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const unpacked = join(folder, 'unpacked');
  // A separate mark, because the executable exists before it is unpacked completely.
  const mark = join(unpacked, 'complete');
  if (!existsSync(mark)) await unpack(folder, unpacked, mark);
  return {
    path: join(unpacked, 'chromium'),
    environment: {
      ...process.env,
      FONTCONFIG_PATH: join(unpacked, 'fonts'),
      LD_LIBRARY_PATH: [join(unpacked, 'al2023/lib'), process.env['LD_LIBRARY_PATH'] ?? '']
        .filter((part) => part !== '')
        .join(delimiter),
    },
  };
}

async function unpack(folder: string, unpacked: string, mark: string): Promise<void> {
  console.log('No browser here: fetching a headless Chromium with npm.');
  await rm(folder, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  await npmInstall(folder, `@sparticuz/chromium@${version}`);
  // Unpacks to the temporary folder, and unpacks libraries only if this variable is set.
  const environment = {
    ...process.env,
    TMPDIR: unpacked,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
  };
  const program = ['--input-type=module', '--eval', `await ${script}`];
  const code = await runCommand(process.execPath, program, { folder, environment });
  if (code !== 0) throw new Error(`Chromium could not be unpacked into ${unpacked}.`);
  await mkdir(mark);
}
