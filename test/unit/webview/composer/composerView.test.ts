import assert from 'node:assert/strict';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import type { QueuedMessage } from '../../../../src/protocol/messages.ts';
import { PanelPage, readyState } from '../panel.ts';
import { chat, start } from '../tools.ts';

const field = '[aria-label=Message]';
const queued = (...ids: readonly string[]): readonly QueuedMessage[] =>
  ids.map((id) => ({ id, text: `Text of ${id}` }));

describe('the queue in the panel', () => {
  /** Opens the panel during a reply, with a host that moves queued messages. */
  async function open(messages: readonly QueuedMessage[]): Promise<PanelPage> {
    const panel = await PanelPage.open();
    let list = [...messages];
    const post = (): void => panel.post({ type: 'state', state: { ...readyState, queued: list } });
    panel.listener = (message) => {
      if (message.type !== 'call' || message.call.name !== 'move-queued') return;
      const { message: id, by } = message.call.parameters;
      const from = list.findIndex((queued) => queued.id === id);
      const moved = list.splice(from, 1);
      list = list.toSpliced(from + by, 0, ...moved);
      post();
    };
    await panel.play(start);
    post();
    await panel.until(() => panel.all('.queued li').length === messages.length);
    return panel;
  }

  const textsOf = (panel: PanelPage): readonly string[] =>
    panel.all('.queued-text').map(({ textContent }) => textContent.slice(-1));

  it('is reordered by its buttons and by Alt with the arrow keys, and keeps the focus', async () => {
    const panel = await open(queued('a', 'b', 'c'));
    panel.button('Move Queued Message 3 Up').focus();
    await panel.click('Move Queued Message 3 Up');
    assert.deepEqual(textsOf(panel), ['a', 'c', 'b']);
    const row = (): string => panel.activeElement?.closest('li')?.textContent ?? '';
    assert.equal(row(), 'Text of c');
    for (const [key, order] of [
      ['ArrowUp', 'cab'],
      ['ArrowUp', 'cab'],
      ['ArrowDown', 'acb'],
      ['ArrowDown', 'abc'],
      ['ArrowDown', 'abc'],
    ] as const) {
      await panel.pressKey(key, { altKey: true });
      assert.deepEqual([textsOf(panel).join(''), row()], [order, 'Text of c']);
    }
  });

  it('names each button distinctly, and omits buttons that a single message does not need', async () => {
    for (const count of [1, 2, 5]) {
      const panel = await open(queued(...['a', 'b', 'c', 'd', 'e'].slice(0, count)));
      const names = panel.all('.queued button').map((button) => button.getAttribute('aria-label'));
      assert.equal(new Set(names).size, names.length);
      assert.equal(names.length, count === 1 ? 3 : 5 * count);
      panel.close();
    }
  });

  it('moves a message into the composer, and lets Escape cancel it while a reply runs', async () => {
    const panel = await open(queued('a', 'b'));
    await panel.type(field, 'typed before');
    await panel.click('Edit Queued Message 2');
    assert.deepEqual(panel.requests().at(-1), {
      name: 'edit-queued',
      parameters: { message: 'b' },
    });
    const [a, b] = queued('a', 'b');
    assert.ok(a !== undefined && b !== undefined);
    panel.post({ type: 'draft', text: b.text, isOther: true });
    await panel.change({ queued: [a, { ...b, isEdited: true }] });
    assert.equal(panel.valueOf(field), 'Text of b');
    assert.equal(panel.activeElement, panel.element(field));
    assert.equal(panel.button('Edit Queued Message 1').getAttribute('aria-disabled'), 'true');
    await panel.press(field, 'Escape');
    assert.deepEqual(panel.requests().at(-1), { name: 'stop-editing-queued', parameters: {} });
    panel.post({ type: 'draft', text: 'typed before', isOther: true });
    await panel.drawn();
    assert.equal(panel.valueOf(field), 'typed before');
    await panel.type(field, '');
    await panel.press(field, 'Enter');
    assert.equal(panel.requests().at(-1)?.name, 'stop-editing-queued', 'nothing was sent');
  });

  it('restores the composer when the host removes the edited message', async () => {
    const panel = await open(queued('a'));
    panel.post({ type: 'draft', text: 'edited', isOther: true });
    await panel.drawn();
    const ids: number[] = [];
    panel.holdRequest = (id) => void ids.push(id);
    await panel.press(field, 'Enter');
    await panel.type(field, 'typed since');
    panel.post({ type: 'draft', text: 'before', isOther: true });
    panel.post({ type: 'answer', id: ids.at(-1) ?? 0 });
    await panel.drawn();
    assert.equal(panel.valueOf(field), 'before\ntyped since');
  });

  it('grows while a turn runs, with Stop next to Send', async () => {
    const panel = await PanelPage.open();
    await panel.play(start);
    assert.equal(panel.button('Send').getAttribute('aria-disabled'), 'true');
    await panel.type(field, 'And then?');
    await panel.press(field, 'Enter');
    assert.equal(panel.valueOf(field), '');
    await panel.type(field, 'And after that?');
    await panel.click('Send');
    await panel.click('Stop');
    assert.deepEqual(panel.requests(), [
      { name: 'send', parameters: { text: 'And then?' } },
      { name: 'send', parameters: { text: 'And after that?' } },
      { name: 'stop', parameters: {} },
    ]);
  });

  it('lets a message go into the running turn, which shows it where it went in', async () => {
    const panel = await open([...queued('a'), { id: 'b', text: 'Text of b', now: true }]);
    await panel.type(field, 'And this.');
    await panel.press(field, 'Enter', { altKey: true });
    await panel.type(field, 'This, too.');
    await panel.click('Send Now');
    await panel.click('Send Now: Message 1');
    assert.deepEqual(panel.requests(), [
      { name: 'send', parameters: { text: 'And this.', now: true } },
      { name: 'send', parameters: { text: 'This, too.', now: true } },
      { name: 'send-now', parameters: { message: 'a' } },
    ]);
    assert.deepEqual(
      panel.all('.queued-now').map((mark) => mark.closest('li')?.textContent),
      ['Text of b'],
    );
    const message = { text: 'And this.', attachments: [] };
    await panel.play(
      { type: 'text-delta', text: 'Before.', at: 1 },
      { type: 'turn-message', id: 'm', message, at: 1 },
      { type: 'text-delta', text: 'After.', at: 2 },
    );
    assert.deepEqual(
      panel.all('.parts > *').map(({ textContent }) => textContent.trim()),
      ['Before.', 'And this.', 'After.'],
    );
    assert.equal(panel.all('.parts article[aria-label="You"]').length, 1);
  });

  it('is sent by Send without text after a turn was stopped', async () => {
    const panel = await PanelPage.open();
    await panel.change({ queued: queued('a') });
    await panel.click('Send');
    assert.deepEqual(panel.requests(), [{ name: 'send', parameters: { text: '' } }]);
  });
});

describe('the button of the mode', () => {
  function open(mode: ChatMode, toolTokens?: number): Promise<PanelPage> {
    const cost = { ...readyState.cost, ...(toolTokens === undefined ? {} : { toolTokens }) };
    return PanelPage.open({ conversation: chat(), state: { ...readyState, mode, cost } });
  }

  it('shows the mode, and opens the list of modes', async () => {
    for (const [mode, name] of [
      ['chat', 'Mode: Chat'],
      ['ask', 'Mode: Ask'],
      ['agent', 'Mode: Agent'],
    ] as const) {
      const panel = await open(mode);
      await panel.click(name);
      assert.deepEqual(panel.requests(), [{ name: 'run', parameters: { command: 'setMode' } }]);
    }
  });

  it('says why the model gets no tools, and offers to try refused ones again', async () => {
    for (const [toolObstacle, words] of [
      ['refused', /This model refused tools/],
      ['model', /can't use tools/],
      ['setting', /turned off in the settings/],
      ['untrusted', /Trust this workspace/],
      ['empty', /Open a folder or a file/],
    ] as const) {
      const panel = await PanelPage.open({
        conversation: chat(),
        state: { ...readyState, mode: 'ask', toolObstacle },
      });
      assert.match(panel.button('Mode: Ask').title, words);
      assert.equal(panel.buttons('Try Tools Again').length, toolObstacle === 'refused' ? 1 : 0);
      if (toolObstacle === 'refused') {
        assert.match(panel.button('Try Tools Again').title, words);
        await panel.click('Try Tools Again');
        assert.deepEqual(panel.requests(), [{ name: 'try-tools', parameters: {} }]);
        await panel.change({ mode: 'chat', toolObstacle });
        assert.equal(panel.buttons('Try Tools Again').length, 0);
      }
      panel.close();
    }
  });

  it('shows the tokens of tools per request, and that Chat has none', async () => {
    const agent = await open('agent', 1100);
    assert.match(agent.button('Mode: Agent').title, /Tools: ≈1\.1k tokens per request/);
    const plain = await open('chat', 1100);
    assert.doesNotMatch(plain.button('Mode: Chat').title, /1\.1k/);
  });
});
