import assert from 'node:assert/strict';
import type { FileRestore, Turn } from '../../../src/core/conversation/conversation.ts';
import type { VersionPlace } from '../../../src/core/conversation/versions.ts';
import type { AttachmentChip } from '../../../src/protocol/messages.ts';
import type { Call } from '../../../src/protocol/rpc.ts';
import { turnStart } from '../../support/turns.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, chatWithParts, chip, finished, said } from './tools.ts';

const field = '[aria-label="Edited Message"]';
const attachment = { id: 'a1', name: 'app.ts', path: 'src/app.ts', language: '', text: 'x' };
const turn: Turn = { ...finished, question: { text: 'Why?', attachments: [attachment] } };

describe('an earlier message that is edited', () => {
  function post(panel: PanelPage, attachments: readonly AttachmentChip[], tokens = 500): void {
    const cost = { tokens, perCharacter: 1 };
    panel.post({ type: 'state', state: { ...readyState, edits: { turn: { attachments, cost } } } });
  }

  async function open(): Promise<PanelPage> {
    const panel = await PanelPage.open({ conversation: chat(turn) });
    await panel.click('Edit Message');
    assert.deepEqual(panel.requests(), [{ name: 'edit-message', parameters: { turn: 'turn' } }]);
    assert.equal(panel.all('.question .chip').length, 1);
    post(panel, [chip]);
    await panel.until(() => panel.all('.edited-foot .cost').length === 1);
    return panel;
  }

  it('shows its attachments, which can be opened and removed as in the composer', async () => {
    const panel = await open();
    assert.equal(panel.all('.question .chip').length, 1);
    await panel.click('app.ts, ≈1.2k tokens');
    panel.button('Remove app.ts').focus();
    await panel.click('Remove app.ts');
    assert.deepEqual(panel.requests().slice(1), [
      { name: 'show-attachment', parameters: { attachment: 'a1', edited: 'turn' } },
      { name: 'remove-attachment', parameters: { attachment: 'a1', edited: 'turn' } },
    ]);
    assert.equal(panel.activeElement, panel.element(field));
    post(panel, []);
    await panel.drawn();
    assert.equal(panel.all('.question .chip').length, 0);
  });

  it('shows the cost of sending it, including the typed text', async () => {
    const panel = await open();
    await panel.type(field, 'x'.repeat(100));
    assert.match(panel.element('.edited-foot .cost').textContent, /600 tokens/);
    post(panel, [chip], 5000);
    await panel.drawn();
    assert.match(panel.element('.edited-foot .cost').textContent, /5\.1k tokens/);
  });

  it('accepts picked, dropped, pasted and completed attachments', async () => {
    const panel = await open();
    const { Event } = panel.window;
    const bring = (type: string, name: string, types: Readonly<Record<string, string>>): void => {
      const data = {
        types: Object.keys(types),
        files: [],
        getData: (key: string) => types[key] ?? '',
      };
      const event = new Event(type, { bubbles: true, cancelable: true });
      Object.assign(event, { [name]: data });
      panel.element(field).dispatchEvent(event);
    };
    await panel.click('Attach to Edited Message…');
    bring('drop', 'dataTransfer', { 'text/uri-list': 'file:///a.ts' });
    bring('paste', 'clipboardData', { 'text/plain': 'file:///b.ts' });
    await panel.type(field, '@te');
    await panel.until(() => panel.requests().some(({ name }) => name === 'complete'));
    const items = [{ id: 'te.ts', label: 'te.ts', icon: 'file-code' }];
    await panel.answer('complete', { items, mayGrow: false });
    await panel.until(() => panel.all('.question [role=option]').length === 1);
    await panel.press(field, 'Enter');
    assert.equal(panel.valueOf(field), '');
    assert.deepEqual(panel.requests().slice(1), [
      { name: 'attach', parameters: { edited: 'turn' } },
      { name: 'attach-addresses', parameters: { addresses: ['file:///a.ts'], edited: 'turn' } },
      { name: 'attach-addresses', parameters: { addresses: ['file:///b.ts'], edited: 'turn' } },
      { name: 'complete', parameters: { trigger: '@', query: 'te', edited: 'turn' } },
      { name: 'choose-completion', parameters: { id: 'te.ts', edited: 'turn' } },
    ]);
    await panel.type(field, '/ex');
    assert.equal(panel.requests().length, 6, 'commands are for new messages');
  });

  it('is canceled with Escape, which the host is notified of', async () => {
    const panel = await open();
    await panel.press(field, 'Escape');
    assert.deepEqual(panel.requests().at(-1), {
      name: 'stop-editing',
      parameters: { turn: 'turn' },
    });
    assert.equal(panel.all('.question .chip').length, 1);
  });
});

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
      const hints = panel.texts('.restore-choice .hint');
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

const startedAt = Date.UTC(2026, 0, 1);

const names = ['Previous Version', 'Next Version'];

describe('the versions in the panel', () => {
  function open(
    id: string,
    versions: Readonly<Partial<Record<'message' | 'reply', VersionPlace>>>,
  ): Promise<PanelPage> {
    return PanelPage.open({ conversation: chat(said(id)), versions: { [id]: versions } });
  }

  /** Shows another version, as the host does when it is requested. */
  function show(panel: PanelPage, id: string, reply: VersionPlace): Promise<void> {
    return panel.show({
      conversation: chat(said(id)),
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
    assert.match(panel.element('[role=log]').textContent, /Reply to Why/);
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
    const { question, model } = said('b', 'How?');
    const message = { number: 2, count: 2, previous: 'x' };
    await panel.play(turnStart({ id: 'b', question, model, at: startedAt }));
    panel.post({ type: 'versions', versions: { b: { message } } });
    await panel.drawn();
    assert.equal(panel.element('.versions').textContent, '2 of 2');
    await panel.show({ conversation: chat(said('c')), before: 1 });
    assert.equal(panel.all('.versions').length, 0);
    const turns = [said('a')];
    const versions = { a: { message } };
    panel.post({ type: 'turns', side: 'before', of: 'c', turns, remaining: 0, versions });
    await panel.drawn();
    assert.equal(panel.element('[data-turn=a] .versions').textContent, '2 of 2');
  });
});
