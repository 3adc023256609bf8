import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import * as z from 'zod/mini';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

const body = z.object({ messages: z.array(z.unknown()), tools: z.array(z.unknown()) });

function requestsOf({ service }: Journey) {
  return service.requests.flatMap((request) => body.safeParse(request.body).data ?? []);
}

function cardOf({ panel }: Journey): Locator {
  return panel.frame.getByRole('region', { name: 'Side Chat', exact: true });
}

describe('journey: ask aside', () => {
  journey('ask aside while a reply runs', { service: { pace: 25 } }, async (walk) => {
    const { panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await panel.input.fill('Show me markdown: a list, a table and some code.');
    await panel.input.press('Enter');
    await panel.button('Stop').waitFor();

    // The cost is visible before sending.
    await panel.input.fill('What can you do?');
    const title = await panel.button('Ask Aside').getAttribute('title');
    assert.match(title ?? '', /Estimated tokens for the next message: ≈/);
    await panel.button('Ask Aside').click();
    const card = cardOf(walk);
    await card.getByRole('article', { name: 'Assistant' }).waitFor();
    await panel.button('Stop').waitFor();
    await picture('1-both-stream');
    await card.getByRole('button', { name: 'Retry' }).waitFor();
    await panel.settled();
    await picture('2-ended');
    const [first, main, side] = requestsOf(walk);
    assert.deepEqual(side?.tools, main?.tools);
    const past = (main?.messages ?? []).slice(0, 3);
    assert.deepEqual(side?.messages.slice(0, 3), past);
    assert.deepEqual(past.slice(0, 2), first?.messages);
    assert.equal(side.messages.length, 4);

    await panel.input.fill('Thank you');
    await panel.input.press('Control+Alt+KeyQ');
    await card.getByRole('article', { name: 'Assistant' }).nth(1).waitFor();
    await card.getByRole('button', { name: 'Retry' }).waitFor();
    await picture('3-continued');
    await card.getByRole('button', { name: 'Add to Chat' }).click();
    await card.waitFor({ state: 'detached' });
    await panel.frame.getByText('What can you do?').first().waitFor();
    await picture('4-added');
    assert.equal(await panel.transcript.getByText('Thank you').count(), 0);

    await panel.input.fill('Hello');
    await panel.button('Ask Aside').click();
    await card.getByRole('button', { name: 'Retry' }).waitFor();
    await card.getByRole('button', { name: 'Open as Chat' }).press('Escape');
    await card.waitFor({ state: 'detached' });
    await panel.frame.locator('.message-field:focus').waitFor();
  });
});
