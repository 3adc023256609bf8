import assert from 'node:assert/strict';
import type { Conversation, Turn } from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { PanelPage } from './panel.ts';
import { turnStart, turnWith, userMessage } from '../../support/turns.ts';

const message = '.message-field';
const stopped: Turn = turnWith({
  id: 'first',
  model: 'mistralai/mistral-small',
  status: 'stopped',
  parts: [{ type: 'text', text: 'Because.' }],
  startedAt: 1000,
  endedAt: 2000,
  runningSince: 1000,
  duration: 1000,
  finishReason: 'stop',
});
const chat: Conversation = {
  id: 'chat',
  options: {},
  turns: [stopped],
  running: undefined,
  usage: {},
};
const start: ConversationEvent = turnStart({
  id: 'next',
  question: userMessage('And?'),
  model: 'mistralai/mistral-small',
  at: 3000,
});

/** Actions after which the host's answer moves the focus to the composer. */
const actions: Readonly<Record<string, (panel: PanelPage) => void>> = {
  Enter: (panel) => pressEnter(panel),
  Send: (panel) => panel.button('Send').click(),
  Continue: (panel) => panel.button('Continue').click(),
  Retry: (panel) => panel.button('Retry').click(),
  Stop: (panel) => panel.button('Stop').click(),
  'Attach…': (panel) => panel.button('Attach…').click(),
};

describe('the focus', () => {
  let panel: PanelPage;

  const open = async (): Promise<void> => {
    panel = await PanelPage.open({ conversation: chat, draft: 'Why?' });
  };
  const active = (): Element | null => panel.activeElement;
  const field = (): HTMLElement => panel.element(message);

  describe('goes to the composer', () => {
    it('when VS Code gives it to the page', async () => {
      await open();
      assert.notEqual(active(), field());
      await panel.receiveFocus();
      assert.equal(active(), field());
    });

    it('when the host requests it and the page has it, even from another element', async () => {
      await open();
      panel.isFocused = true;
      panel.button('Configure').focus();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      assert.equal(active(), field());
    });

    it('when the host requests it before VS Code focuses the page', async () => {
      await open();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      assert.notEqual(active(), field());
      panel.button('Configure').focus();
      await panel.receiveFocus();
      assert.equal(active(), field());
    });

    it('when the host requests it and VS Code focuses a tab instead, immediately', async () => {
      await open();
      panel.post({ type: 'focus', grabs: true });
      await panel.drawn();
      assert.equal(active(), field());
    });

    it('when files are dropped on an unfocused page, immediately', async () => {
      await open();
      panel.holdRequest = () => undefined;
      const drop = new panel.window.Event('drop', { bubbles: true, cancelable: true });
      const getData = (): string => 'file:///w/a.ts';
      Object.assign(drop, { dataTransfer: { types: ['text/uri-list'], getData, files: [] } });
      panel.element('[role=log]').dispatchEvent(drop);
      await panel.drawn();
      assert.equal(active(), field());
    });
  });

  describe('stays where the person moved it', () => {
    it('when the host asks for it late', async () => {
      await open();
      await panel.receiveFocus();
      panel.loseFocus();
      panel.post({ type: 'focus', grabs: true });
      await panel.drawn();
      assert.notEqual(active(), field());
    });

    it('when the host asks for it late, and the person points to another part of the panel', async () => {
      await open();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      panel.button('Configure').dispatchEvent(new panel.window.Event('pointerdown'));
      panel.button('Configure').focus();
      await panel.receiveFocus();
      assert.equal(active(), panel.button('Configure'));
    });

    it('when an edited message is drawn again', async () => {
      await open();
      await panel.click('Edit Message');
      assert.equal(active(), panel.element('.question-editor textarea'));
      await panel.type('.question-editor textarea', 'Why so?');
      field().focus();
      const other = { ...chat, turns: [{ ...stopped, id: 'second' }] };
      await panel.show({ conversation: other });
      await panel.show({ conversation: chat });
      await panel.drawn();
      assert.equal(Reflect.get(panel.element('.question-editor textarea'), 'value'), 'Why so?');
      assert.equal(active(), field());
    });

    for (const [name, act] of Object.entries(actions)) {
      /** Moves the focus after the action and before the host answers it. */
      const moveAfter = async (move: () => void): Promise<void> => {
        await open();
        if (name === 'Stop') await panel.play(start);
        await panel.receiveFocus();
        const ids: number[] = [];
        panel.holdRequest = (id) => ids.push(id);
        act(panel);
        await panel.drawn();
        move();
        for (const id of ids) panel.post({ type: 'answer', id });
        await panel.drawn();
      };

      it(`to another part of the window, after ${name}`, async () => {
        await moveAfter(() => panel.loseFocus());
        assert.notEqual(active(), field());
        await panel.receiveFocus();
        assert.equal(active(), field());
      });

      if (name === 'Attach…') continue;
      it(`to another part of the panel, after ${name}`, async () => {
        await moveAfter(() => panel.button('Configure').focus());
        assert.equal(active(), panel.button('Configure'));
      });
    }
  });
});

function pressEnter(panel: PanelPage): void {
  const event = new panel.window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true });
  panel.element(message).dispatchEvent(event);
}
