import type { Journey } from './journey.ts';

/** Connects through the command, with an address and a key. */
export async function connect(
  { workbench, panel, baseUrl, key }: Pick<Journey, 'workbench' | 'panel' | 'baseUrl' | 'key'>,
  model = 'mistral/mistral-small',
): Promise<void> {
  await workbench.command('Aside: Connect to a Service…');
  await workbench.answer('Connect to a Service', baseUrl);
  await workbench.answer(`API Key for ${new URL(baseUrl).hostname}`, key);
  await workbench.pick(model);
  // Choosing a model shows the panel.
  await panel.input.waitFor();
  await panel.button(`Model: ${model}`).waitFor();
}
