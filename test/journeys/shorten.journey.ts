import assert from 'node:assert/strict';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { themes, type ThemeKind } from '../support/vscode/themes.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';

const kinds: readonly ThemeKind[] = ['dark', 'light', 'high-contrast'];
const settings = {
  'aside.models': {
    'mistral/mistral-small': { contextWindow: 8000, price: { input: 0.5, output: 1.5 } },
  },
};
const messages = ['first', 'second', 'third', 'fourth', 'fifth'].map(
  (word) => `This is the ${word} message about the station in **Hamburg**.`,
);
const summary =
  '- The chat is about the **station** in Hamburg.\n- Open: read `docs/stations.md` again.';

/** Long replies, and a summary if the request asks for one. */
const script: Script = ({ messages }) => {
  const message = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (message.startsWith('Summarize this conversation')) return { content: summary };
  return { content: `About that: ${'the station measures the temperature. '.repeat(60)}` };
};

describe('journey: shorten', () => {
  journey('shorten a long chat', { settings, service: { script } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    for (const message of messages) {
      await panel.ask(message);
      await panel.settled();
    }
    await panel.frame.getByRole('meter', { name: 'Context' }).waitFor();
    await picture('1-meter');
    await shorten(walk);
    const mark = panel.frame.getByRole('group', { name: 'Summary' });
    await mark.waitFor();
    await mark.locator('summary').click();
    await mark.getByText('read docs/stations.md again').waitFor();
    await mark.scrollIntoViewIfNeeded();
    for (const kind of kinds) {
      await workbench.setTheme(kind);
      await panel.frame.locator(`body.${themes[kind].body}`).waitFor();
      await mark.scrollIntoViewIfNeeded();
      await picture(`3-${kind}`);
    }
    const short = await ask(walk, 'What is open?');
    assert.ok(!short.includes('first message') && !short.includes('third message'));
    assert.ok(short.includes('fourth message') && short.includes('docs/stations.md'));

    await mark.getByRole('button', { name: 'Send the Messages Again' }).click();
    await mark.getByRole('button', { name: 'Send the Summary' }).waitFor();
    await picture('4-taken-back');
    const whole = await ask(walk, 'And now?');
    assert.ok(whole.includes('first message') && !whole.includes('docs/stations.md'));

    await workbench.reload();
    await panel.show();
    await mark.getByRole('button', { name: 'Send the Summary' }).click();
    await mark.getByRole('button', { name: 'Send the Messages Again' }).waitFor();
    assert.ok(!(await ask(walk, 'Once more?')).includes('first message'));
  });
});

/** Through the context meter, which links to the command. */
async function shorten(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await panel.button('Context…').click();
  await workbench.pick('Shorten Chat…');
  await workbench.dialog.getByText('Send a summary instead of 3 older messages?').waitFor();
  await picture('2-asked');
  await decide(walk, 'Shorten Chat');
}

/** Sends a message and returns the request's messages. */
async function ask({ panel, service }: Journey, message: string): Promise<string> {
  const before = service.requests.length;
  await panel.ask(message);
  await panel.settled();
  return JSON.stringify(service.requests[before]?.body);
}
