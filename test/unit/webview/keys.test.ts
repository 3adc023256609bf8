import assert from 'node:assert/strict';
import type { Turn } from '../../../src/core/conversation/conversation.ts';
import { PanelPage, readyState } from './panel.ts';
import { begin, chat, edit, said, start } from './tools.ts';

const field = '[aria-label=Message]';

describe('keys in the panel', () => {
  async function open(...turns: Turn[]): Promise<PanelPage> {
    const page = await PanelPage.open({ conversation: chat(...turns) });
    page.element(field).focus();
    return page;
  }

  describe('Escape', () => {
    it('stops a running reply, wherever the focus is, and does nothing without one', async () => {
      const panel = await open(said('a', 'One'));
      await panel.pressKey('Escape');
      assert.deepEqual(panel.requests(), []);
      await panel.play(start);
      for (const selector of [field, '.scroller', '[aria-label=Configure]']) {
        const before = panel.requests().length;
        panel.element(selector).focus();
        await panel.pressKey('Escape');
        assert.deepEqual(
          panel.requests().slice(before),
          [{ name: 'stop', parameters: {} }],
          selector,
        );
      }
    });

    it('closes open parts first', async () => {
      const opens: readonly ((panel: PanelPage) => Promise<void>)[] = [
        (panel) => panel.click('Configure'),
        (panel) => panel.pressKey('f', { ctrlKey: true }),
      ];
      for (const show of opens) {
        const panel = await open();
        await panel.play(start);
        await show(panel);
        await panel.until(() => panel.all('[role=dialog], [role=search]').length === 1);
        await panel.drawn();
        await panel.pressKey('Escape');
        await panel.until(() => panel.all('[role=dialog], [role=search]').length === 0);
        assert.deepEqual(panel.requests(), []);
        await panel.pressKey('Escape');
        assert.deepEqual(panel.requests(), [{ name: 'stop', parameters: {} }]);
        panel.close();
      }
    });

    it('does not stop while held, with modifiers, or when ending a composition', async () => {
      const panel = await open();
      await panel.play(start);
      for (const init of [
        { repeat: true },
        { shiftKey: true },
        { ctrlKey: true },
        { isComposing: true },
      ])
        await panel.pressKey('Escape', init);
      assert.deepEqual(panel.requests(), []);
    });
  });

  describe('Ctrl+Enter', () => {
    const decided = { name: 'decide', parameters: { turn: 'turn', call: 'c1', decision: 'once' } };

    async function asking(draft = ''): Promise<{ panel: PanelPage; at: (time: number) => void }> {
      const panel = await open();
      let now = 10_000;
      Object.assign(panel.window.performance, { now: () => now });
      await panel.play(start, ...begin('c1', 'edit_file'));
      await panel.play({ type: 'tool-call-ask', id: 'c1', question: edit });
      await panel.until(() => panel.buttons('Allow Once').length === 1);
      if (draft !== '') await panel.type(field, draft);
      panel.element(field).focus();
      return { panel, at: (time) => (now = 10_000 + time) };
    }

    it('allows an edit only if intended, and not before it could be read', async () => {
      const places = [
        field,
        '.tool-call > summary',
        '.scroller',
        '[aria-label=Configure]',
      ] as const;
      for (const selector of places)
        for (const draft of ['', 'Wait'])
          for (const time of [699, 700]) {
            const { panel, at } = await asking(draft);
            panel.element(selector).focus();
            at(time);
            await panel.pressKey('Enter', { ctrlKey: true });
            const isInCard = selector === '.tool-call > summary';
            const isFree = draft === '' && (selector === field || selector === '.scroller');
            const isAllowed = time >= 700 && (isInCard || isFree);
            const sends =
              selector === field && draft !== ''
                ? [{ name: 'send', parameters: { text: draft } }]
                : [];
            assert.deepEqual(
              panel.requests(),
              isAllowed ? [decided] : sends,
              `${selector}, “${draft}”, ${time} ms`,
            );
            panel.close();
          }
    }).timeout(30_000);

    it('is not pressed by other keys, nor on other buttons', async () => {
      const { panel, at } = await asking();
      at(700);
      await panel.pressKey('Enter', { ctrlKey: true, repeat: true });
      await panel.pressKey('Enter', { ctrlKey: true, shiftKey: true });
      await panel.pressKey('Enter');
      for (const name of ['Deny', 'Review Diff', 'More Ways to Allow…', 'Send']) {
        panel.button(name).focus();
        await panel.pressKey('Enter', { ctrlKey: true });
      }
      assert.deepEqual(panel.requests(), []);
    });

    it('allows the one whose card has focus, otherwise the first', async () => {
      const { panel, at } = await asking();
      await panel.play(...begin('c2', 'edit_file'));
      await panel.play({ type: 'tool-call-ask', id: 'c2', question: edit });
      await panel.until(() => panel.buttons('Allow Once').length === 2);
      at(5000);
      await panel.pressKey('Enter', { ctrlKey: true });
      assert.deepEqual(panel.requests(), [decided]);
      panel.all('.tool-call > summary').at(-1)?.focus();
      await panel.pressKey('Enter', { metaKey: true });
      assert.deepEqual(panel.requests().at(-1), {
        ...decided,
        parameters: { ...decided.parameters, call: 'c2' },
      });
    });

    it('allows nothing that is folded, out of view, or decided in a dialog', async () => {
      const { panel, at } = await asking();
      at(5000);
      const rect = panel.element('body').getBoundingClientRect();
      Object.defineProperties(rect, { top: { value: 5000 }, bottom: { value: 5010 } });
      panel.element('.tool-call').getBoundingClientRect = () => rect;
      await panel.pressKey('Enter', { ctrlKey: true });
      panel.element('.tool-call > summary').click();
      await panel.until(() => panel.buttons('Allow Once').length === 0);
      await panel.pressKey('Enter', { ctrlKey: true });
      assert.deepEqual(panel.requests(), []);
      panel.close();
      const other = await open();
      await other.play(start, ...begin('c1', 'run_command'));
      const question = { by: 'dialog', forChat: false, files: [] } as const;
      await other.play({ type: 'tool-call-ask', id: 'c1', question });
      await other.drawn();
      await other.pressKey('Enter', { ctrlKey: true });
      assert.deepEqual(other.requests(), []);
    });
  });

  describe('the arrow keys', () => {
    it('browse earlier messages in the empty composer', async () => {
      const panel = await open(
        said('a', 'One'),
        said('b', 'Two'),
        said('c', 'Two'),
        said('d', 'Three'),
      );
      const seen: unknown[] = [];
      for (const key of ['ArrowUp', 'ArrowDown'].flatMap((key) => Array<string>(4).fill(key))) {
        await panel.pressKey(key);
        seen.push(panel.valueOf(field));
      }
      assert.deepEqual(seen, ['Three', 'Two', 'One', 'One', 'Two', 'Three', '', '']);
    });

    it("don't replace a text that was typed or changed", async () => {
      const panel = await open(said('a', 'One'));
      await panel.type(field, 'Mine');
      await panel.pressKey('ArrowUp');
      assert.equal(panel.valueOf(field), 'Mine');
      await panel.type(field, '');
      await panel.pressKey('ArrowUp');
      await panel.type(field, 'One more');
      await panel.pressKey('ArrowUp');
      await panel.pressKey('ArrowDown');
      assert.equal(panel.valueOf(field), 'One more');
    });

    it('leave the field of an edited message with Alt, which stays open', async () => {
      const panel = await open(said('a', 'One'), said('b', 'Two'));
      const focused = (): Element | null => panel.activeElement;
      for (const [index, key, text] of [
        [0, 'ArrowDown', 'Reply to One'],
        [1, 'ArrowUp', 'Reply to One'],
      ] as const) {
        const edit = panel.buttons('Edit Message')[index];
        edit?.click();
        await panel.drawn();
        const edited = panel.element('[aria-label="Edited Message"]');
        assert.equal(focused(), edited);
        await panel.pressKey('ArrowUp');
        assert.equal(focused(), edited, 'the cursor moves in it');
        await panel.pressKey(key, { altKey: true });
        const reached = focused();
        assert.ok(reached?.matches('article') && reached.textContent.startsWith(text));
        assert.equal(panel.all('[aria-label="Edited Message"]').length, 1);
        edited.focus();
        await panel.pressKey('Escape');
      }
    });

    it('move a queued message with Alt only if there is another one', async () => {
      for (const count of [1, 2]) {
        const panel = await open(said('a', 'One'));
        const queued = ['x', 'y'].slice(0, count).map((id) => ({ id, text: id }));
        panel.post({ type: 'state', state: { ...readyState, queued } });
        await panel.until(() => panel.all('.queued li').length === count);
        panel.all('.queued button').at(-1)?.focus();
        await panel.pressKey('ArrowUp', { altKey: true });
        const isMessage = panel.activeElement?.matches('article') === true;
        const moves = panel.requests().filter(({ name }) => name === 'move-queued');
        assert.deepEqual([isMessage, moves.length], count === 1 ? [true, 0] : [false, 1]);
        panel.close();
      }
    });

    it("don't replace an edited queued message, unless it is empty", async () => {
      const panel = await open(said('a', 'One'));
      const queued = [{ id: 'x', text: 'Queued', isEdited: true }];
      panel.post({ type: 'state', state: { ...readyState, queued } });
      panel.post({ type: 'draft', text: 'Queued', isOther: true });
      await panel.drawn();
      await panel.pressKey('ArrowUp');
      assert.equal(panel.valueOf(field), 'Queued');
      await panel.type(field, '');
      await panel.pressKey('ArrowUp');
      assert.equal(panel.valueOf(field), 'One');
    });

    it('go from message to message with Alt, and back to the composer', async () => {
      const panel = await open(said('a', 'One'), said('b', 'Two'));
      const focused = (): string => panel.activeElement?.textContent ?? '';
      const seen: boolean[] = [];
      for (const text of ['Reply to Two', 'Two', 'Reply to One', 'One', 'One']) {
        await panel.pressKey('ArrowUp', { altKey: true });
        seen.push(focused().startsWith(text));
      }
      assert.deepEqual(seen, [true, true, true, true, true]);
      for (let step = 0; step < 4; step++) await panel.pressKey('ArrowDown', { altKey: true });
      assert.equal(panel.activeElement, panel.element(field));
    });
  });

  it('Ctrl+Alt+M opens the model picker, and the composer has the focus afterwards', async () => {
    const panel = await open(said('a', 'One'));
    panel.element('[aria-label=Configure]').focus();
    await panel.pressKey('µ', { code: 'KeyM', ctrlKey: true, altKey: true });
    assert.deepEqual(panel.requests(), [{ name: 'run', parameters: { command: 'selectModel' } }]);
    assert.equal(panel.activeElement, panel.element(field));
  });

  it('a message stays in the composer while the person connects, and is sent once', async () => {
    const panel = await open();
    const none = { ...readyState, connection: { kind: 'none' } } as const;
    panel.post({ type: 'state', state: none });
    await panel.drawn();
    const ids: number[] = [];
    panel.holdRequest = (id) => ids.push(id);
    await panel.type(field, 'Why?');
    await panel.pressKey('Enter');
    await panel.pressKey('Enter');
    assert.deepEqual(panel.requests(), [{ name: 'send', parameters: { text: 'Why?' } }]);
    assert.equal(panel.valueOf(field), 'Why?');
    await panel.type(field, 'Why?\nAnd how?');
    panel.post({ type: 'answer', id: ids[0] ?? 0 });
    await panel.until(() => panel.valueOf(field) === 'And how?');
  });
});
