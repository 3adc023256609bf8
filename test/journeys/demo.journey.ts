import assert from 'node:assert/strict';
import { journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';

describe('journey: the demo', () => {
  journey(
    'first run in the demo',
    { freshWindow: true },
    async ({ workbench, panel, picture, service }) => {
      await panel.showEmpty();
      await picture('1-not-connected');

      await panel.button('Try the Demo').click();
      await panel.button(/^Model: ./).waitFor();
      await picture('2-connected');

      await panel.ask('What can you do?');
      await panel.settled();
      await panel.replies.first().getByText('Aside').first().waitFor();
      await workbench.statusItem(usageItem).getByText(/\d/).waitFor();
      await picture('3-answered');

      await panel.ask('Show me markdown: a list, a table and some code.');
      await panel.settled();
      await panel.replies.nth(1).getByRole('table').waitFor();
      await panel.replies.nth(1).getByRole('button', { name: 'Copy Code' }).first().waitFor();
      await picture('4-markdown');

      assert.equal(await panel.messages.count(), 2);
      assert.deepEqual(service.requests, [], 'The demo went over the network.');
    },
  );
});
