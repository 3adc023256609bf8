import type { Journey } from './journey.ts';

interface DisplayedUsage {
  readonly requests: number;
  /** True if the tokens are marked as estimated. */
  readonly estimated: boolean;
}

/** Usage of the open chat and of today, as the token usage tab shows it. */
export async function readUsageTab({
  workbench,
}: Journey): Promise<{ readonly chat: DisplayedUsage; readonly today: DisplayedUsage }> {
  await workbench.command('Aside: Show Token Usage');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  const tile = async (name: string): Promise<DisplayedUsage> =>
    usageIn(await tab.getByRole('region', { name, exact: true }).innerText());
  const [chat, today] = [await tile('This Chat'), await tile('Today')];
  await workbench.command('View: Close Editor');
  return { chat, today };
}

function usageIn(text: string): DisplayedUsage {
  const requests = /([\d,]+) requests?/.exec(text)?.[1] ?? '';
  return { requests: Number(requests.replaceAll(',', '')), estimated: text.includes('≈') };
}
