import type { Journey } from './journey.ts';

interface ShownUsage {
  readonly requests: number;
  /** Whether the tokens are marked as estimated. */
  readonly estimated: boolean;
}

/** What the command that shows the token usage says of the open chat and of today. */
export async function shownUsage({
  workbench,
}: Journey): Promise<{ readonly chat: ShownUsage; readonly today: ShownUsage }> {
  await workbench.command('Aside: Show Token Usage');
  await workbench.quickInput.locator('.quick-input-title', { hasText: 'Token Usage' }).waitFor();
  const rows = workbench.rows.filter({ hasText: 'Requests' });
  await rows.nth(2).waitFor();
  const [chat = '', , today = ''] = await rows.allInnerTexts();
  await workbench.page.keyboard.press('Escape');
  await workbench.quickInput.waitFor({ state: 'hidden' });
  return { chat: usageIn(chat), today: usageIn(today) };
}

function usageIn(text: string): ShownUsage {
  const requests = /Requests ([\d,]+)/.exec(text)?.[1] ?? '';
  return { requests: Number(requests.replaceAll(',', '')), estimated: text.includes('≈') };
}
