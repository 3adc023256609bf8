import assert from 'node:assert/strict';
import type { FileRestore } from '../../../src/core/conversation/conversation.ts';
import type { Call } from '../../../src/protocol/rpc.ts';
import { PanelPage } from './panel.ts';
import { chatWithParts } from './tools.ts';

const restored: FileRestore = {
  id: 'r',
  turns: ['old'],
  files: ['src/a.ts', 'src/b.ts'],
  left: [],
  status: 'restored',
};

describe('restoring files in the panel', () => {
  let panel: PanelPage;

  beforeEach(async () => {
    panel = await PanelPage.open({
      conversation: chatWithParts([{ type: 'text', text: 'Done.' }]),
    });
    await panel.drawn();
  });

  /** Opens the edit field, and answers which files can be restored. */
  async function edit(files: readonly string[], skipped: readonly string[] = []): Promise<void> {
    await panel.click('Edit Message');
    await answer(files, skipped);
  }

  async function answer(files: readonly string[], skipped: readonly string[] = []): Promise<void> {
    await panel.answer('find-restorable', { files, left: skipped });
  }

  function box(): HTMLElement {
    const label = panel.element('.restore-choice label');
    assert.equal(label.textContent, 'Restore files to before this message');
    return panel.element('.restore-choice input[type=checkbox]');
  }

  async function resent(): Promise<Call | undefined> {
    await panel.click('Send Again');
    return panel.requests().at(-1);
  }

  it('is not offered before the host has replied, nor if no file was changed', async () => {
    await panel.click('Edit Message');
    assert.equal(panel.all('.restore-choice').length, 0);
    await answer([]);
    assert.equal(panel.all('.restore-choice').length, 0);
    assert.deepEqual(await resent(), {
      name: 'resend',
      parameters: { turn: 'turn', text: 'Why?' },
    });
  });

  for (const [files, skipped, words] of [
    [['a'], [], '1 file'],
    [['a', 'b', 'c'], [], '3 files'],
    [['a', 'b'], ['c'], '2 of 3 files'],
    [[], ['c'], '0 of 1 files'],
  ] as const) {
    it(`says ${words}`, async () => {
      await edit(files, skipped);
      assert.equal(panel.element('.restore-count').textContent, words);
      assert.equal(panel.buttons('Review…').length, files.length > 0 ? 1 : 0);
      const hints = panel.all('.restore-choice .hint').map((hint) => hint.textContent);
      assert.deepEqual(hints, skipped.length > 0 ? ['Changed since, stays as it is: c'] : []);
    });
  }

  it('is off until it is chosen, and then sent with the message', async () => {
    await edit(['a']);
    assert.equal(Reflect.get(box(), 'checked'), false);
    box().click();
    await answer(['a']);
    assert.equal(Reflect.get(box(), 'checked'), true);
    const request = {
      name: 'resend',
      parameters: { turn: 'turn', text: 'Why?', restoreFiles: true },
    };
    assert.deepEqual(await resent(), request);
  });

  it('stays chosen if the message is refused', async () => {
    await edit(['a']);
    box().click();
    panel.refusal = 'Nothing was restored: a cannot be written.';
    await resent();
    assert.equal(Reflect.get(box(), 'checked'), true);
    assert.match(panel.element('[role=alert]').textContent, /Nothing was restored/);
  });

  it('can be reviewed first', async () => {
    await edit(['a', 'b']);
    await panel.click('Review…');
    const request = { name: 'restore-files', parameters: { turn: 'turn', action: 'review' } };
    assert.deepEqual(panel.requests().at(-1), request);
  });

  it('is shown afterwards, with skipped files, and can be undone and redone', async () => {
    const restore = { ...restored, left: ['src/c.ts'] };
    await panel.play({ type: 'files-restore', turn: 'turn', restore });
    const group = panel.element('.restored-files');
    assert.equal(group.getAttribute('aria-label'), 'Restored Files');
    assert.match(group.textContent, /2 files restored/);
    assert.match(group.textContent, /Not restored because of later changes: src\/c\.ts/);
    panel.button('Undo Restore').focus();
    await panel.click('Undo Restore');
    await panel.play({
      type: 'files-restore',
      turn: 'turn',
      restore: { ...restored, status: 'undone' },
    });
    assert.equal(panel.activeElement, panel.button('Redo Restore'));
    assert.match(panel.element('.restored-files').textContent, /2 files restored, then undone/);
    await panel.click('Redo Restore');
    assert.deepEqual(panel.requests(), [
      { name: 'restore-files', parameters: { turn: 'turn', action: 'undo' } },
      { name: 'restore-files', parameters: { turn: 'turn', action: 'redo' } },
    ]);
  });
});
