/**
 * Runs the suite inside the extension host of a real VS Code. `--on oldest` uses the oldest VS Code,
 * `--on virtual` a virtual folder. Other parameters are parts of the names of the files to run.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import { projectFolder } from '../support/paths.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { findVsCode } from '../support/vscode/findVsCode.ts';
import { hostNamed, hosts } from '../support/vscode/hosts.ts';
import { serveFiles } from '../support/vscode/servedFiles.ts';
import { buildSuite, withoutDisk } from './buildSuite.ts';

const { values, positionals: wanted } = parseArgs({
  options: { on: { type: 'string' } },
  allowPositionals: true,
});
// Read by the launcher, which accepts only the parameters of desktop VS Code.
const hostName = hostNamed(values.on);
process.env['ASIDE_HOST'] = hostName;
const without = hosts[hostName].isVirtual ? withoutDisk : {};
for (const [file, reason] of Object.entries(without))
  console.log(`Not on ${hostName}: ${file}: ${reason}`);
const suite = await buildSuite(wanted, without);
await run();

async function run(): Promise<void> {
  const folder = await TemporaryFolder.create();
  const workspace = join(folder.path, 'workspace');
  await cp(join(projectFolder, 'test/fixtures/workspace'), workspace, { recursive: true });
  const extensions = join(folder.path, 'extensions');
  await addSample('foreignTool', extensions);
  const files = hosts[hostName].isVirtual ? await serveFiles(workspace) : undefined;
  if (files !== undefined) await addSample('virtualFiles', extensions);
  try {
    await runTests({
      vscodeExecutablePath: await findVsCode(),
      extensionDevelopmentPath: projectFolder,
      extensionTestsPath: suite,
      launchArgs: [
        files?.address ?? workspace,
        `--user-data-dir=${join(folder.path, 'user')}`,
        `--extensions-dir=${extensions}`,
      ],
    });
  } catch (error) {
    // The report has more details than this error's stack.
    if (!(error instanceof TestRunFailedError)) throw error;
    process.exitCode = 1;
  } finally {
    await files?.close();
    await folder.dispose();
  }
}

/** Copies one of the sample extensions beside the tests to an extensions folder. */
function addSample(name: 'foreignTool' | 'virtualFiles', extensions: string): Promise<void> {
  const sample = join(import.meta.dirname, name);
  return cp(sample, join(extensions, `aside-test.${name}-1.0.0`), { recursive: true });
}
