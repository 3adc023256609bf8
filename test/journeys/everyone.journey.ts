import assert from 'node:assert/strict';
import { modelAnswering } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';

const script = modelAnswering({
  'מה מזג האוויר?': [
    `# היום\n\nבברגן יורד גשם.\n\n- Oslo is dry.\n\n\`ls -la\`\n\n${'גשם.\n\n'.repeat(40)}`,
  ],
  'And in Oslo?': ['It is dry there.'],
});

describe('journey: the chat for everyone', () => {
  journey('headings, directions and own messages', { service: { script } }, async (walk) => {
    const { panel, picture, workbench } = walk;
    await connect(walk);
    for (const message of ['מה מזג האוויר?', 'And in Oslo?']) {
      await panel.ask(message);
      await panel.settled();
    }
    const headings = panel.transcript.getByRole('heading', { level: 2 });
    assert.deepEqual(await headings.allInnerTexts(), ['מה מזג האוויר?', 'And in Oslo?']);
    // Only the transcript scrolls: a heading that is reached doesn't move the page.
    const root = panel.frame.locator('html');
    assert.deepEqual(await root.evaluate(scrollableElements), ['DIV.scroller']);
    const today = panel.replies.first().locator('[aria-level="3"]').getByText('היום');
    const directionOf = (element: Element): string => getComputedStyle(element).direction;
    assert.equal(await today.evaluate(directionOf), 'rtl');
    const rain = panel.replies.first().getByText('בברגן יורד גשם.');
    assert.equal(await rain.evaluate(directionOf), 'rtl');
    const dry = panel.replies.first().getByText('Oslo is dry.');
    assert.equal(await dry.evaluate(directionOf), 'ltr');
    await panel.input.press('Control+f');
    const messages = panel.frame.getByRole('list', { name: 'Your Messages' });
    await messages.getByRole('button', { name: 'And in Oslo?' }).waitFor();
    await picture('1-messages');
    // The list follows the field and its buttons.
    await messages.getByRole('button').first().focus();
    await workbench.page.keyboard.press('Enter');
    await messages.waitFor({ state: 'detached' });
    await panel.frame.locator('.message-field:focus').waitFor();
    await picture('2-first-message');
  });
});

function scrollableElements(root: Element): string[] {
  return [root, ...root.querySelectorAll('*')]
    .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 100)
    .map(({ className, tagName }) => `${tagName}.${className}`);
}
