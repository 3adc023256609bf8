import assert from 'node:assert/strict';
import type { Turn } from '../../../src/core/conversation/conversation.ts';
import type { VersionPlace } from '../../../src/core/conversation/versions.ts';
import { PanelPage } from './panel.ts';
import { turnStart, turnWith, userMessage } from '../../support/turns.ts';
import { chat } from './tools.ts';

const startedAt = Date.UTC(2026, 0, 1);

function turn(id: string, text = 'Why?'): Turn {
  return turnWith({
    id,
    question: userMessage(text),
    model: 'mistralai/mistral-small',
    parts: [{ type: 'text', text: `Because of ${id}.` }],
    startedAt,
    endedAt: startedAt + 3400,
    runningSince: startedAt,
    duration: 3400,
    finishReason: 'stop',
  });
}

const names = ['Previous Version', 'Next Version'];

describe('the versions in the panel', () => {
  function open(
    id: string,
    versions: Readonly<Partial<Record<'message' | 'reply', VersionPlace>>>,
  ): Promise<PanelPage> {
    return PanelPage.open({ conversation: chat(turn(id)), versions: { [id]: versions } });
  }

  /** Shows another version, as the host does when it is requested. */
  function show(panel: PanelPage, id: string, reply: VersionPlace): Promise<void> {
    return panel.show({
      conversation: chat(turn(id)),
      around: id,
      versions: { [id]: { reply } },
    });
  }

  it('are not shown if there is only one', async () => {
    const panel = await open('b', {});
    assert.deepEqual(
      names.flatMap((name) => panel.buttons(name)),
      [],
    );
    assert.equal(panel.all('.versions').length, 0);
  });

  for (const [of, owner] of [
    ['message', 'You'],
    ['reply', 'Assistant'],
  ] as const) {
    it(`of a ${of} are counted between two buttons, which show the adjacent ones`, async () => {
      const version = { number: 2, count: 3, previous: 'a', next: 'c' };
      const panel = await open('b', { [of]: version });
      const [previous, text, next] = panel.element(`[aria-label=${owner}] .versions`).children;
      assert.equal(previous, panel.button('Previous Version'));
      assert.equal(text?.textContent, '2 of 3');
      assert.equal(next, panel.button('Next Version'));
      await panel.click('Previous Version');
      await panel.click('Next Version');
      assert.deepEqual(panel.requests(), [
        { name: 'select-version', parameters: { turn: 'a' } },
        { name: 'select-version', parameters: { turn: 'c' } },
      ]);
    });
  }

  it('keep both buttons at the ends, one of them disabled', async () => {
    for (const [version, idle] of [
      [{ number: 1, count: 2, next: 'c' }, 'Previous Version'],
      [{ number: 2, count: 2, previous: 'a' }, 'Next Version'],
    ] as const) {
      const panel = await open('b', { reply: version });
      for (const name of names)
        assert.equal(panel.button(name).getAttribute('aria-disabled'), String(name === idle));
      await panel.click(idle);
      assert.deepEqual(panel.requests(), []);
      panel.close();
    }
  });

  it('keep the focus on the pressed button, even at the last version, and are announced', async () => {
    const panel = await open('a', { reply: { number: 1, count: 3, next: 'b' } });
    panel.button('Next Version').focus();
    await panel.click('Next Version');
    await show(panel, 'b', { number: 2, count: 3, previous: 'a', next: 'c' });
    assert.equal(panel.activeElement, panel.button('Next Version'));
    await panel.until(() => panel.announcement === 'Version 2 of 3');
    await panel.click('Next Version');
    await show(panel, 'c', { number: 3, count: 3, previous: 'b' });
    assert.equal(panel.activeElement, panel.button('Next Version'));
    assert.equal(panel.activeElement.getAttribute('aria-disabled'), 'true');
    assert.match(panel.element('[role=log]').textContent, /Because of c\./);
  });

  it('leave the focus to a quick pick that was opened before they appear', async () => {
    const panel = await open('a', { reply: { number: 1, count: 2, next: 'b' } });
    panel.button('Next Version').focus();
    await panel.click('Next Version');
    panel.loseFocus();
    await show(panel, 'b', { number: 2, count: 2, previous: 'a' });
    assert.equal(panel.activeElement, panel.window.document.body);
    await panel.until(() => panel.announcement === 'Version 2 of 2');
  });

  it('appear with a turn that has just started, and with turns that are loaded later', async () => {
    const panel = await open('a', {});
    const { question, model } = turn('b', 'How?');
    const message = { number: 2, count: 2, previous: 'x' };
    await panel.play(turnStart({ id: 'b', question, model, at: startedAt }));
    panel.post({ type: 'versions', versions: { b: { message } } });
    await panel.drawn();
    assert.equal(panel.element('.versions').textContent, '2 of 2');
    await panel.show({ conversation: chat(turn('c')), before: 1 });
    assert.equal(panel.all('.versions').length, 0);
    const turns = [turn('a')];
    const versions = { a: { message } };
    panel.post({ type: 'turns', side: 'before', of: 'c', turns, remaining: 0, versions });
    await panel.drawn();
    assert.equal(panel.element('[data-turn=a] .versions').textContent, '2 of 2');
  });
});
