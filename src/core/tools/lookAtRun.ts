import { flawOf } from './commandRefusal.ts';
import { examine } from './examine.ts';
import type { FileSystemView } from './fileSystemView.ts';
import { pathIn } from './folderPaths.ts';
import type { PlannedCommand } from './gate.ts';
import type { Look, Scene } from './passage.ts';
import type { Target } from './target.ts';
import { ToolError } from './tool.ts';

/** Finds out in which folder a command really runs. */
export function lookAtRun(
  { command, folder, shell }: PlannedCommand,
  view: FileSystemView | undefined,
): Look<PlannedCommand & { readonly cwd: Target }> {
  return async (scene) => {
    refuseFlaws(command);
    const path = folder === '' ? firstFolder(scene) : folder;
    const { target: cwd } = await examine(path, scene.situation, view);
    const run = { type: 'run', command, shell, cwd } as const;
    const value = { command, folder, shell, cwd };
    return { scene, steps: [{ action: run, changes: [], subject: run }], value };
  };
}

function refuseFlaws(command: string): void {
  const flaw = flawOf(command);
  if (flaw === 'empty') throw new ToolError('The command is empty.');
  if (flaw === 'keys') {
    throw new ToolError('Write the command without control characters and tabs.', 'denied');
  }
}

function firstFolder({ situation: { folders } }: Scene): string {
  const [first] = folders;
  if (first === undefined) throw new ToolError('No folder is open: name the folder to run in.');
  return pathIn(first, [], folders);
}
