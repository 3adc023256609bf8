import assert from 'node:assert/strict';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import type { PanelPage } from '../panel.ts';
import { begin, call, chatWithParts, end, openChat, result, start } from '../tools.ts';

type Status = FileChange['status'];

const changeOf = (id: string, at: number): FileChange => ({
  id,
  path: `src/${id}.ts`,
  kind: at === 0 ? 'create' : 'edit',
  addedLines: at + 1,
  removedLines: at,
  status: 'changed',
});
const changes = ['a', 'b', 'c'].map(changeOf);

function withStatuses(...statuses: readonly Status[]): ConversationEvent {
  const changed = changes.map((change, at) => ({ ...change, status: statuses[at] ?? 'kept' }));
  return { type: 'files-change', turn: 'turn', changes: changed };
}

/** The file status before and after each button. */
const steps: Readonly<Record<string, readonly [from: Status, to: Status]>> = {
  'Undo All': ['changed', 'undone'],
  'Redo All': ['undone', 'changed'],
  'Keep All': ['changed', 'kept'],
};

const request = (parameters: object): unknown => ({
  name: 'changes',
  parameters: { turn: 'turn', ...parameters },
});

describe('undo and redo of changed files', () => {
  let panel: PanelPage;

  beforeEach(async () => {
    panel = await openChat(chatWithParts([call()], { changes }));
  });

  async function click(name: string, ...statuses: readonly Status[]): Promise<void> {
    panel.button(name).focus();
    await panel.click(name);
    await panel.play(withStatuses(...statuses));
  }

  it('share a position, which keeps the focus', async () => {
    await click('Undo All', 'undone', 'undone', 'undone');
    assert.equal(panel.activeElement, panel.button('Redo All'));
    await click('Redo All', 'changed', 'changed', 'changed');
    assert.equal(panel.activeElement, panel.button('Undo All'));
    await click('Undo src/b.ts', 'changed', 'undone', 'changed');
    assert.equal(panel.activeElement, panel.button('Redo src/b.ts'));
    await click('Redo src/b.ts', 'changed', 'changed', 'changed');
    assert.equal(panel.activeElement, panel.button('Undo src/b.ts'));
    assert.deepEqual(panel.requests(), [
      request({ action: 'undo' }),
      request({ action: 'redo' }),
      request({ change: 'b', action: 'undo' }),
      request({ change: 'b', action: 'redo' }),
    ]);
  });

  it('are offered where applicable, and never lose the focus', async () => {
    const statuses = ['changed', 'kept', 'undone'] as const;
    for (const all of statuses.flatMap((first) =>
      statuses.map((second) => [first, second] as const),
    )) {
      for (const [name, [from, to]] of Object.entries(steps)) {
        await panel.play(withStatuses(...all));
        assert.equal(
          panel.buttons(name).length,
          all.includes(from) ? 1 : 0,
          `${name}: ${all.join()}`,
        );
        if (!all.includes(from)) continue;
        await click(name, ...all.map((status) => (status === from ? to : status)));
        assert.ok(panel.activeElement?.closest('.changed-files'), `${name}: ${all.join()}`);
      }
    }
    const lines = panel.all('.changed-files li');
    assert.ok(lines.at(-1)?.textContent.endsWith('Kept'));
    assert.equal(lines.at(-1)?.querySelectorAll('.icon-button').length, 0);
  });

  it('are announced when done, and not if refused', async () => {
    panel.refusal = 'Not undone because of later changes: src/a.ts';
    await panel.click('Undo All');
    assert.equal(panel.announcement, '');
    panel.refusal = undefined;
    panel.all('.file-name')[0]?.click();
    await panel.drawn();
    assert.equal(panel.announcement, '');
    await click('Undo All', 'undone', 'undone', 'undone');
    assert.equal(panel.announcement, 'Undone');
    await click('Redo src/a.ts', 'changed', 'undone', 'undone');
    assert.equal(panel.announcement, 'Redone');
    await click('Keep src/a.ts', 'kept', 'undone', 'undone');
    assert.equal(panel.announcement, 'Kept');
  });
});

describe('the files that a turn changed', () => {
  const group = '[role=group][aria-label="3 files changed"]';

  it('are reviewed and kept, one by one and all together', async () => {
    const shown = await openChat(chatWithParts([call()], { changes }));
    assert.equal(shown.all(`${group} li`).length, 3);
    assert.equal(shown.all(`${group} li`)[0]?.textContent, 'src/a.tsNew+1 −0');
    shown.all('.file-name')[0]?.click();
    for (const name of ['Keep src/c.ts', 'Keep All']) await shown.click(name);
    assert.deepEqual(shown.requests(), [
      request({ change: 'a', action: 'diff' }),
      request({ change: 'c', action: 'keep' }),
      request({ action: 'keep' }),
    ]);
  });

  it('are listed when the turn has ended, and not before', async () => {
    const shown = await openChat();
    await shown.play(start, ...begin('c1'), result('c1'));
    await shown.play({ type: 'files-change', turn: 'turn', changes });
    assert.equal(shown.all(group).length, 0);
    await shown.play(end);
    assert.equal(shown.all(group).length, 1);
  });

  it('are not all rendered if they are many', async () => {
    const many = Array.from({ length: 50 }, (_, at) => changeOf(`${at}`, at));
    const shown = await openChat(chatWithParts([call()], { changes: many }));
    assert.equal(shown.all('.file-list li').length, 20);
    await shown.click('Show All 50 Files');
    assert.equal(shown.all('.file-list li').length, 50);
  });
});
