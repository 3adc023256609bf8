/**
 * Runs the suite inside the extension host of a real VS Code; `--build` only bundles it, and `--on
 * oldest` takes the oldest VS Code. `--half first|second` takes every other file. Other parameters are
 * parts of the names of the files to run.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import { projectFolder } from '../support/paths.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { findVsCode } from '../support/vscode/findVsCode.ts';
import { hostNamed } from '../support/vscode/hosts.ts';
import { buildSuite, type Half } from './buildSuite.ts';

const { values, positionals: wanted } = parseArgs({
  options: { on: { type: 'string' }, build: { type: 'boolean' }, half: { type: 'string' } },
  allowPositionals: true,
});
// Read by the launcher, which takes the parameters of desktop VS Code alone.
process.env['ASIDE_HOST'] = hostNamed(values.on);
const suite = await buildSuite(wanted, halfNamed(values.half));
if (values.build !== true) await run();

function halfNamed(name: string | undefined): Half | undefined {
  if (name === undefined || name === 'first' || name === 'second') return name;
  throw new Error(`There is a first half and a second one, and no half is named ${name}.`);
}

async function run(): Promise<void> {
  const folder = await TemporaryFolder.create();
  try {
    const workspace = join(folder.path, 'workspace');
    await cp(join(projectFolder, 'test/fixtures/workspace'), workspace, { recursive: true });
    const extensions = join(folder.path, 'extensions');
    const foreign = join(import.meta.dirname, 'foreignTool');
    await cp(foreign, join(extensions, 'aside-test.foreign-tool-1.0.0'), { recursive: true });
    await runTests({
      vscodeExecutablePath: await findVsCode(),
      extensionDevelopmentPath: projectFolder,
      extensionTestsPath: suite,
      launchArgs: [
        workspace,
        `--user-data-dir=${join(folder.path, 'user')}`,
        `--extensions-dir=${extensions}`,
      ],
    });
  } catch (error) {
    // Its report says more than its stack.
    if (!(error instanceof TestRunFailedError)) throw error;
    process.exitCode = 1;
  } finally {
    await folder.dispose();
  }
}
