import type { Workbench } from '../../support/vscode/workbench.ts';
import { Panel } from '../../journeys/support/panel.ts';

/** Connects Aside to a service with its command, which reveals the panel. */
export async function connectAside(workbench: Workbench, baseUrl: string): Promise<Panel> {
  await workbench.command('Aside: Connect to a Service…');
  await workbench.answer('Connect to a Service', baseUrl);
  await workbench.answer('API Key for 127.0.0.1', 'sk-bench-0123456789');
  const panel = new Panel(workbench);
  await panel.button('Model: bench/model').waitFor();
  return panel;
}

/** Sends a message in a new chat. */
export async function askAnew(
  workbench: Workbench,
  panel: Panel,
  question = 'Tell me everything.',
): Promise<void> {
  if ((await panel.messages.count()) > 0) {
    await workbench.command('Aside: New Chat');
    await panel.messages.first().waitFor({ state: 'detached' });
  }
  await panel.ask(question);
}
