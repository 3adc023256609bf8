/**
 * Runs the suite inside the extension host of a real VS Code. `--on oldest` uses the oldest VS Code,
 * `--on virtual` a virtual folder. Other parameters are parts of the names of the files to run.
 */
import { globSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import { outFolder, projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { findVsCode } from '../support/vscode/findVsCode.ts';
import { hostNamed, hosts } from '../support/vscode/hosts.ts';
import { serveFiles } from '../support/vscode/servedFiles.ts';

/** Files that access the disk, which a virtual folder doesn't have, with the reasons. */
const withoutDisk: Readonly<Record<string, string>> = {
  'attachments.test.ts': 'it attaches files of the disk',
  'commitMessage.test.ts': 'Git needs a folder on a disk',
  'edits.test.ts': 'it compares the bytes on the disk',
  'explainTerminal.test.ts': 'it needs a terminal in the folder',
  'gate.test.ts': 'it looks at paths and links of the disk',
  'keptChats.test.ts': 'it writes files for imports to the disk',
  'menus.test.ts': 'Git needs a folder on a disk',
  'personGate.test.ts': 'it replaces folders of the disk by links',
  'presets.test.ts': 'it writes presets to the disk',
  'promptFiles.test.ts': 'it writes prompt files to the disk',
  'readTools.test.ts': 'it reads links and devices of the disk',
  'renameProject.test.ts': 'TypeScript knows no project in a virtual folder',
  'reviewChanges.test.ts': 'Git needs a folder on a disk',
  'runCommand.test.ts': 'commands need a folder on a disk',
};

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
const files = globSync('**/*.test.ts', { cwd: import.meta.dirname })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => !(file in without));
if (files.length === 0) throw new Error('There is no such test.');
const build = ['esbuild.js', '--tests', ...files.map((file) => `test/vscode/${file}`)];
const code = await runCommand(process.execPath, build, { folder: projectFolder });
if (code !== 0) throw new Error('The tests were not built.');
await run();

async function run(): Promise<void> {
  const folder = await TemporaryFolder.create();
  const workspace = join(folder.path, 'workspace');
  await cp(join(projectFolder, 'test/fixtures/workspace'), workspace, { recursive: true });
  const extensions = join(folder.path, 'extensions');
  await addSample('foreignTool', extensions);
  const served = hosts[hostName].isVirtual ? await serveFiles(workspace) : undefined;
  if (served !== undefined) await addSample('virtualFiles', extensions);
  try {
    await runTests({
      vscodeExecutablePath: await findVsCode(),
      extensionDevelopmentPath: projectFolder,
      extensionTestsPath: join(outFolder, 'test/vscode/index.cjs'),
      launchArgs: [
        served?.address ?? workspace,
        `--user-data-dir=${join(folder.path, 'user')}`,
        `--extensions-dir=${extensions}`,
      ],
    });
  } catch (error) {
    // The report has more details than this error's stack.
    if (!(error instanceof TestRunFailedError)) throw error;
    process.exitCode = 1;
  } finally {
    await served?.close();
    await folder.dispose();
  }
}

/** Copies one of the sample extensions beside the tests to an extensions folder. */
function addSample(name: 'foreignTool' | 'virtualFiles', extensions: string): Promise<void> {
  const sample = join(import.meta.dirname, name);
  return cp(sample, join(extensions, `aside-test.${name}-1.0.0`), { recursive: true });
}
