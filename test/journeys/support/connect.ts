import type { Journey } from './journey.ts';

type Connecting = Pick<Journey, 'workbench' | 'panel' | 'baseUrl' | 'key'> &
  Partial<Pick<Journey, 'isConnected'>>;

/**
 * Connects with the command, an address and a key, unless an earlier journey did.
 * @param isOnlyModel the service has only one model, so there is no list to select from
 */
export async function connect(
  walk: Connecting,
  model = 'mistral/mistral-small',
  isOnlyModel = false,
): Promise<void> {
  const { workbench, panel, baseUrl, key, isConnected } = walk;
  if (isConnected === true) {
    await selectModel(walk, model);
    return;
  }
  await workbench.command('Aside: Connect to a Service…');
  await workbench.answer('Connect to a Service', baseUrl);
  await workbench.answer(`API Key for ${new URL(baseUrl).hostname}`, key);
  if (!isOnlyModel) await workbench.pick(model);
  // Selecting a model reveals the panel.
  await panel.input.waitFor();
  await panel.button(`Model: ${model}`).waitFor();
}

/** A new chat may start with the previous chat's model. */
async function selectModel({ workbench, panel }: Connecting, model: string): Promise<void> {
  await panel.show();
  await panel.button(/^Model: /).waitFor();
  const chosen = panel.button(`Model: ${model}`);
  if (await chosen.isVisible()) return;
  await workbench.command('Aside: Select Model…');
  await workbench.pick(model);
  await chosen.waitFor();
}
