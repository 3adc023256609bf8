import assert from 'node:assert/strict';
import { modelAnswering } from '../support/modelSaying.ts';
import { chooseMode } from './support/chooseMode.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';

const script = modelAnswering({
  'Make it.': [[['create_file', { path: 'made.txt', text: 'made' }]], 'It is made.'],
});

describe('journey: modes', () => {
  journey('chat, ask, agent', { foreignTools: true, service: { script } }, async (walk) => {
    const { panel, picture } = walk;
    await connect(walk);
    await panel.button('Mode: Agent').waitFor();
    await chooseMode(walk, 'Chat');
    await picture('1-chat');
    await panel.ask('Hello');
    await panel.settled();
    assert.deepEqual(lastRequest(walk).tools, []);

    await chooseMode(walk, 'Ask');
    await panel.ask('Hello again');
    await panel.settled();
    const { tools } = lastRequest(walk);
    assert.ok(tools.includes('read_file') && !tools.includes('edit_file'), tools.join(' '));
    await panel.ask('Make it.');
    await panel.settled();
    assert.match(lastRequest(walk).results.at(-1) ?? '', /There is no tool/);
    await picture('2-asked');

    await chooseMode(walk, 'Agent');
    await panel.ask('And now?');
    await panel.settled();
    assert.ok(lastRequest(walk).tools.includes('edit_file'));

    // New chats start in the mode that was selected last.
    await chooseMode(walk, 'Ask');
    await panel.input.press('Escape');
    await walk.workbench.command('Aside: New Chat');
    await panel.button('Mode: Ask').waitFor();
    await picture('3-next-chat');
  });
});
