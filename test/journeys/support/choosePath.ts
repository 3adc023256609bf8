import { dirname, relative } from 'node:path';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import type { Journey } from './journey.ts';

/** Answers VS Code's own dialog for files with a path on the disk. */
export async function choosePath(walk: Journey, path: string): Promise<void> {
  const { workbench } = walk;
  const { quickInput, rows } = workbench;
  // Other lists have no such button.
  const accept = quickInput.getByRole('button', { name: /^(?:OK|Import)$/ });
  await accept.waitFor();
  // The dialog shows a path of its own once it has read the folder.
  await rows.getByText('..', { exact: true }).waitFor();
  await quickInput.locator('input.input').fill(shownPath(walk, path));
  await accept.click();
  await quickInput.waitFor({ state: 'hidden' });
}

/** A virtual folder is at the top of its file system. */
function shownPath({ workspace }: Journey, path: string): string {
  return hosts[hostName].isVirtual ? `/${relative(dirname(workspace), path)}` : path;
}
