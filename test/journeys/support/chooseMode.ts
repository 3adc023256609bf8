import type { Journey } from './journey.ts';

/** Chooses the mode of the chat by the button in the composer. */
export async function chooseMode(
  { panel, workbench }: Pick<Journey, 'panel' | 'workbench'>,
  mode: 'Chat' | 'Ask' | 'Agent',
): Promise<void> {
  await panel.button(/^Mode: /).click();
  await workbench.pick(mode);
  await panel.button(`Mode: ${mode}`).waitFor();
}
