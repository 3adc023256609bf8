import type { Journey } from './journey.ts';

interface ShownUsage {
  readonly requests: number;
  /** Whether the tokens are marked as estimated. */
  readonly estimated: boolean;
}

/** What the tab with the token usage says of the open chat and of today. */
export async function shownUsage({
  workbench,
}: Journey): Promise<{ readonly chat: ShownUsage; readonly today: ShownUsage }> {
  await workbench.command('Aside: Show Token Usage');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  const tile = async (name: string): Promise<ShownUsage> =>
    usageIn(await tab.getByRole('region', { name, exact: true }).innerText());
  const [chat, today] = [await tile('This Chat'), await tile('Today')];
  await workbench.command('View: Close Editor');
  return { chat, today };
}

function usageIn(text: string): ShownUsage {
  const requests = /([\d,]+) requests?/.exec(text)?.[1] ?? '';
  return { requests: Number(requests.replaceAll(',', '')), estimated: text.includes('≈') };
}
