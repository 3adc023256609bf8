import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Journey } from './journey.ts';

const lease = z.object({ hostProcess: z.number() });

/**
 * Kills the extension host of the window, in which a message was sent. Resolves with the moment, in
 * milliseconds of `performance.now()`.
 */
export async function killExtensionHost({ panel, userFolder }: Journey): Promise<number> {
  // Tells this page from the one after the restart.
  await panel.frame.locator('html').evaluate((page) => page.setAttribute('data-old', ''));
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/leases');
  const leases = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(leases.map((name) => readFile(join(folder, name), 'utf8')));
  const hosts = new Set(texts.map((text) => lease.parse(JSON.parse(text)).hostProcess));
  const [host, ...others] = hosts;
  if (host === undefined || others.length > 0)
    throw new Error(`The chats of this window are open in ${hosts.size} extension hosts.`);
  process.kill(host, 'SIGKILL');
  return performance.now();
}

/** Resolves when the panel has a new page: VS Code restarts the extension host by itself. */
export async function hostRestarted({ panel }: Journey): Promise<void> {
  await panel.frame.locator('html:not([data-old])').waitFor();
}
