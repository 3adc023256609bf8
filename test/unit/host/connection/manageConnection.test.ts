import assert from 'node:assert/strict';
import { manageConnection } from '../../../../src/host/connection/manageConnection.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

/** Returns the offered items, and the commands that run after the answer. */
async function manage(rig: ConnectionRig) {
  const ran: string[] = [];
  const { connection, keys, dialogs } = rig;
  const run = (command: string) => Promise.resolve(ran.push(command));
  dialogs.pickItems.length = 0;
  await manageConnection({ connection, keys, dialogs, run });
  return { offered: dialogs.pickItems.map((text) => text.trim()), ran };
}

const rigWith = (...answers: ConstructorParameters<typeof ConnectionRig>) =>
  new ConnectionRig(...answers);

const ofService = (...answers: readonly string[]) =>
  rigWith(() => Promise.resolve([]), baseUrl, 'sk-a', ...answers);

describe('Manage Connection', () => {
  it('lists no command about a service, a key or the demo that would have no effect', async () => {
    const rig = rigWith(() => Promise.resolve([]), undefined, undefined);
    const connect = ['Connect to a Service…', 'Open Console'];
    assert.deepEqual(await manage(rig), { offered: [...connect, 'Try the Demo Service'], ran: [] });
    await rig.connection.useDemo();
    assert.deepEqual(await manage(rig), { offered: connect, ran: [] });
  });

  it('names the service whose key it sets or removes, and removes only one that is stored', async () => {
    const rig = ofService('Set API Key…', 'Remove API Key', 'Select Service…');
    await rig.commands.connect();
    const all = [
      'Connect to a Service…',
      'Select Service…',
      'Set API Key… api.example.com',
      'Remove API Key api.example.com',
      'Open Console',
      'Try the Demo Service',
    ];
    assert.deepEqual(await manage(rig), { offered: all, ran: ['aside.setApiKey'] });
    assert.deepEqual(await manage(rig), { offered: all, ran: ['aside.removeApiKey'] });
    await rig.keys.remove(origin);
    const withoutKey = all.filter((label) => !label.startsWith('Remove'));
    assert.deepEqual(await manage(rig), { offered: withoutKey, ran: ['aside.selectService'] });
  });
});
