import { chromium, type Browser } from 'playwright-core';
import { findBrowser, isWatched } from './findBrowser.ts';

/** Starts a headless Chromium. `ASIDE_WATCH=1` shows its window. */
export async function launchBrowser(): Promise<Browser> {
  const { path, environment } = await findBrowser();
  // Chromium does not support its sandbox as root.
  const parameters = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const defined = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return chromium.launch({
    executablePath: path,
    args: [...parameters, '--disable-dev-shm-usage'],
    env: Object.fromEntries(defined),
    headless: !isWatched,
  });
}
