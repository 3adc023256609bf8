import assert from 'node:assert/strict';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { press } from './support/press.ts';

const essay = 'Write 3000 words about weather stations.';

describe('journey: reload without loss', () => {
  journey('reload the window during a reply', { service: { pace: 15 } }, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await panel.ask(essay);
    await panel.longerThan(panel.replies.nth(1), 300);
    await picture('1-before');
    const before = await panel.words(panel.replies.nth(1));

    await workbench.reload();
    await panel.show();
    await panel.replies.nth(1).waitFor();
    const after = await panel.words(panel.replies.nth(1));
    assert.equal(await panel.messages.count(), 2);
    assert.ok(after.startsWith(before.slice(0, 200)), 'The text before the reload is gone.');
    await panel.button('Continue').waitFor();
    await picture('2-after');
    await panel.ask('Hello again');
    await panel.settled();
    assert.equal(service.requests.at(-1)?.status, 200, 'The key is gone.');
  });

  journey('retry and edit, and go back', { service: { script: numbered() } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await press(panel.button('Retry'));
    await panel.replies.first().getByText('Reply 2').waitFor();
    await panel.settled();
    await panel.ask('And then?');
    await panel.settled();
    await panel.button('Edit Message').first().click();
    await panel.frame.getByText('A new version is added.').waitFor();
    await picture('1-editing');
    await panel.frame.getByRole('textbox', { name: 'Edited Message' }).fill('Goodbye');
    await press(panel.button('Send Again'));
    await panel.replies.first().getByText('Reply 4').waitFor();
    await panel.settled();
    assert.deepEqual(sentMessages(walk), ['Goodbye']);
    assert.match(await panel.words(panel.messages.first()), /2 of 2/);
    await picture('2-edited');

    const previous = panel.button('Previous Version');
    await previous.first().focus();
    await workbench.page.keyboard.press('Enter');
    await panel.replies.nth(1).getByText('Reply 3').waitFor();
    assert.match(await panel.words(panel.messages.first()), /1 of 2/);
    assert.match(await panel.words(panel.replies.first()), /2 of 2/);
    const focused = panel.messages.first().locator('button:focus');
    assert.equal(await focused.getAttribute('aria-label'), 'Previous Version');
    // The button is hidden once the end of the chat is visible.
    await panel.button('Jump to Latest').waitFor({ state: 'hidden' });
    await picture('3-back');
    await panel.replies.first().getByRole('button', { name: 'Previous Version' }).click();
    await panel.replies.first().getByText('Reply 1').waitFor();
    assert.equal(await panel.messages.count(), 1);
    await picture('4-first');

    await workbench.reload();
    await panel.show();
    await panel.replies.first().getByText('Reply 1').waitFor();
    await panel.ask('Where were we?');
    await panel.settled();
    assert.deepEqual(sentMessages(walk), ['Hello', 'Where were we?']);
    assert.match(JSON.stringify(lastRequest(walk).messages), /Reply 1/);
    await picture('5-after-a-reload');

    await press(panel.button('Retry'));
    await panel.replies.nth(1).getByText('Reply 6').waitFor();
    await panel.settled();
    await panel.ask('And after that?');
    await panel.settled();
    const placeOf = async (name: string): Promise<number> => {
      const button = panel.replies.nth(1).getByRole('button', { name });
      await button.scrollIntoViewIfNeeded();
      const box = await button.boundingBox();
      assert.ok(box);
      return box.y;
    };
    await placeOf('Previous Version');
    await panel.replies.nth(1).getByRole('button', { name: 'Previous Version' }).click();
    await panel.replies.nth(1).getByText('Reply 5').waitFor();
    const before = await placeOf('Next Version');
    await panel.replies.nth(1).getByRole('button', { name: 'Next Version' }).click();
    await panel.replies.nth(2).getByText('Reply 7').waitFor();
    await panel.frame.locator('.measured').waitFor({ state: 'detached' });
    const after = await placeOf('Next Version');
    assert.ok(Math.abs(after - before) < 2, `The button moved from ${before} to ${after}.`);
    await picture('6-in-its-place');
  });

  journey('reload with the usage and the next request open', {}, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    const tab = workbench.webview('aside-chat.aside', 'editor');
    const titles = ['Token Usage', 'Next Request'];
    for (const title of titles) {
      await workbench.command(`Aside: Show ${title}`);
      await tab.getByRole('heading', { name: title }).waitFor();
    }
    await workbench.reloadAfterSaving();
    for (const title of titles.toReversed()) {
      await workbench.page.getByRole('tab', { name: title }).click();
      await tab.getByRole('heading', { name: title }).waitFor();
      await picture(title);
    }
    // Running the command again reveals the tab instead of opening another one.
    await workbench.command('Aside: Show Next Request');
    await tab.getByRole('heading', { name: 'Next Request' }).waitFor();
    assert.equal(await workbench.page.getByRole('tab', { name: 'Next Request' }).count(), 1);
  });

  journey('paste the key by mistake right after a reload', {}, async (walk) => {
    const { workbench, panel, key, service } = walk;
    await connect(walk);
    const before = service.requests.length;
    await workbench.reload();
    await panel.show();
    await panel.input.fill(`My key is ${key}`);
    await panel.input.press('Enter');
    await panel.alert
      .filter({ hasText: 'This message or an attachment contains your API key' })
      .waitFor();
    await panel.messages.first().waitFor({ state: 'detached' });
    assert.equal(service.requests.length, before);
  });

  journey('hide the panel during a reply', { service: { pace: 15 } }, async (walk) => {
    const { workbench, panel } = walk;
    await connect(walk);
    await panel.ask(essay);
    await panel.longerThan(panel.replies.first(), 100);
    await panel.input.fill('not sent yet');
    await workbench.showContainer('Explorer');
    await panel.transcript.waitFor({ state: 'detached' });
    await panel.show();
    await panel.longerThan(panel.replies.first(), 300);
    assert.equal(await panel.input.inputValue(), 'not sent yet');
    await panel.button('Stop').click();
    await panel.settled();
  });
});

/** A model that numbers its replies. */
function numbered(): Script {
  let count = 0;
  return () => {
    const content = `Reply ${(count += 1)}, which is not like the others.`;
    // Later replies are taller than the view.
    return { content: content + '\n\nOne more line.'.repeat(count < 5 ? 0 : count * 10) };
  };
}

/** Messages of the person in the last request. */
function sentMessages(walk: Journey): readonly (string | null)[] {
  const { messages } = lastRequest(walk);
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}
