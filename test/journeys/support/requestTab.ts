import type { FrameLocator, Locator } from 'playwright-core';
import { modelSaying } from '../../support/modelSaying.ts';
import type { Journey } from './journey.ts';

/** A model with a price and a context window, which the tab shows. */
export const settings = {
  'aside.models': {
    'mistral/mistral-small': {
      contextWindow: 32_000,
      price: { input: 0.5, output: 1.5, cachedInput: 0.05 },
    },
  },
};
/** Reads a file, then replies. */
export const script = modelSaying(
  [['read_file', { path: 'docs/stations.md' }]],
  'It converts degrees, and the other file lists the stations by name.',
);

/** Attaches a file from the list that `@` opens. */
export async function attach({ panel }: Journey, typed: string, name: string): Promise<void> {
  await panel.input.pressSequentially(typed);
  await panel.option(new RegExp(`^${name}`)).click();
  await panel.button(`Remove ${name}`).waitFor();
}

export function partOf(tab: FrameLocator, name: string): Locator {
  return tab.locator('.request-part', { hasText: name }).last();
}
