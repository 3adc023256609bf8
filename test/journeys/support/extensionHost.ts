import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Journey } from './journey.ts';
import { isRunning } from '../../support/isRunning.ts';

const lock = z.object({ process: z.number() });

/** Process ids of the extension hosts that have a chat of the window open. */
export async function chatHosts({ userFolder }: Pick<Journey, 'userFolder'>): Promise<number[]> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/locks');
  const names = await readdir(folder).catch(() => []);
  const locks = names.filter((name) => name.endsWith('.lock'));
  const texts = await Promise.all(locks.map((name) => readFile(join(folder, name), 'utf8')));
  const hosts = new Set(texts.map((text) => lock.parse(JSON.parse(text)).process));
  return [...hosts].filter(isRunning);
}

/**
 * Kills the extension host of a window in which a message was sent. Resolves with the time in
 * milliseconds of `performance.now()`.
 */
export async function killExtensionHost(journey: Journey): Promise<number> {
  // Distinguishes this page from the one after the restart.
  const html = journey.panel.frame.locator('html');
  await html.evaluate((page) => page.setAttribute('data-old', ''));
  const [host, ...others] = await chatHosts(journey);
  if (host === undefined || others.length > 0)
    throw new Error('The chats of this window are open in none or several extension hosts.');
  process.kill(host, 'SIGKILL');
  return performance.now();
}

/** Resolves when the panel has a new page: VS Code restarts the extension host by itself. */
export async function hostRestarted({ panel }: Journey): Promise<void> {
  await panel.frame.locator('html:not([data-old])').waitFor();
}
