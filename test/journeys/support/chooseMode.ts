import type { Journey } from './journey.ts';

/** Selects the chat's mode with the button in the composer. */
export async function chooseMode(
  { panel, workbench }: Pick<Journey, 'panel' | 'workbench'>,
  mode: 'Chat' | 'Ask' | 'Agent',
): Promise<void> {
  await panel.button(/^Mode: /).click();
  await workbench.pick(mode);
  await panel.button(`Mode: ${mode}`).waitFor();
}
