import { globSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder, projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';

/** Files that a host can't run, with the reasons. */
export type SkippedFiles = Readonly<Record<string, string>>;

/** Files that access the disk, which a virtual folder doesn't have. */
export const withoutDisk: SkippedFiles = {
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

/**
 * Bundles the suite files for the extension host. Resolves with the path of the entry.
 * @param wanted parts of file names; all files if empty
 * @param without files to skip
 */
export async function buildSuite(
  wanted: readonly string[] = [],
  without: SkippedFiles = {},
): Promise<string> {
  const folder = join(outFolder, 'test/vscode');
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname })
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .filter((file) => !(file in without));
  if (files.length === 0) throw new Error('There is no such test.');
  const code = await runCommand(
    process.execPath,
    ['esbuild.js', '--tests', `--folder=${folder}`, ...files.map((file) => `test/vscode/${file}`)],
    { folder: projectFolder },
  );
  if (code !== 0) throw new Error('The tests were not built.');
  return join(folder, 'index.cjs');
}
