import { dirname, relative } from 'node:path';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import type { Journey } from './journey.ts';

/** Enters a path in VS Code's file dialog. */
export async function choosePath(walk: Journey, path: string): Promise<void> {
  const { workbench } = walk;
  const { quickInput, rows } = workbench;
  // Only the file dialog has this button.
  const accept = quickInput.getByRole('button', { name: /^(?:OK|Import)$/ });
  await accept.waitFor();
  // Once it has read the folder, the dialog replaces the path in its field.
  await rows.getByText('..', { exact: true }).waitFor();
  await quickInput.locator('input.input').fill(shownPath(walk, path));
  await accept.click();
  await quickInput.waitFor({ state: 'hidden' });
}

/** Path as the dialog shows it. A virtual folder is the root of its file system. */
function shownPath({ workspace }: Journey, path: string): string {
  return hosts[hostName].isVirtual ? `/${relative(dirname(workspace), path)}` : path;
}
