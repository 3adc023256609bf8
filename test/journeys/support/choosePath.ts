import type { Journey } from './journey.ts';

/** Answers VS Code's own dialog for files with a path. */
export async function choosePath({ workbench }: Journey, path: string): Promise<void> {
  const { quickInput, rows } = workbench;
  // Other lists have no such button.
  const accept = quickInput.getByRole('button', { name: /^(?:OK|Import)$/ });
  await accept.waitFor();
  // The dialog shows a path of its own once it has read the folder.
  await rows.getByText('..', { exact: true }).waitFor();
  await quickInput.locator('input.input').fill(path);
  await accept.click();
  await quickInput.waitFor({ state: 'hidden' });
}
