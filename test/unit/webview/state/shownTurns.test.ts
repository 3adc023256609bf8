import assert from 'node:assert/strict';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { adjacentTurns, windowAround } from '../../../../src/core/conversation/window.ts';
import type { ViewMessage } from '../../../../src/protocol/messages.ts';
import { ShownTurns } from '../../../../src/webview/state/shownTurns.ts';
import { longConversation } from '../../../support/longJournal.ts';
import { openFrames } from '../frames.ts';
import { turnStart } from '../../../support/turns.ts';

const question = { text: 'Why?', attachments: [] };
const start: ConversationEvent = turnStart({ id: 'new', question });
const text = (words: string): ConversationEvent => ({ type: 'text-delta', text: words, at: 2 });
const change: FileChange = {
  id: 'f',
  path: 'a.ts',
  kind: 'edit',
  addedLines: 1,
  removedLines: 0,
  status: 'changed',
};

describe('the window of turns in the view', () => {
  const conversation = longConversation(100, 4000);
  let frames: ReturnType<typeof openFrames>;
  beforeEach(() => (frames = openFrames()));
  afterEach(() => frames.close());

  function open() {
    const posted: ViewMessage[] = [];
    const window = new ShownTurns((message) => posted.push(message));
    const grown: string[] = [];
    window.onDidGrow((added) => grown.push(added.text));
    return { window, posted, grown };
  }

  function openLong() {
    const opened = open();
    opened.window.show(windowAround(conversation));
    for (let count = 0; count < 20; count++) frames.draw();
    return opened;
  }

  const ids = (window: ShownTurns): string[] => window.turns.value.map(({ id }) => id);

  it('has the whole text when the turn has ended', () => {
    const { window } = open();
    window.apply([start, text('a')]);
    window.apply([text('b')]);
    window.apply([{ type: 'turn-end', status: 'finished', at: 3 }]);
    assert.deepEqual(window.turns.value[0]?.parts, [{ type: 'text', text: 'ab' }]);
  });

  it('applies file changes to turns that are not rendered yet', () => {
    for (const around of [undefined, 'turn-50']) {
      const { window } = open();
      const part = windowAround(conversation, around);
      const { turns } = part.conversation;
      window.show(part, around);
      for (const turn of [turns.at(0), turns.at(-1)])
        window.apply([{ type: 'files-change', turn: turn?.id ?? '', changes: [change] }]);
      for (let count = 0; count < 20; count++) frames.draw();
      const ends = [window.turns.value.at(0), window.turns.value.at(-1)];
      assert.deepEqual(
        ends.map((turn) => turn?.changes),
        [[change], [change]],
      );
    }
  });

  it('requests earlier turns once, and adds them only if they still fit', () => {
    const { window, posted } = openLong();
    const [first = ''] = ids(window);
    window.askMore('before');
    window.askMore('before');
    window.askMore('after');
    assert.deepEqual(posted, [{ type: 'turns', side: 'before', of: first }]);
    const next = adjacentTurns(conversation, 'before', first);
    assert.ok(next !== undefined);
    window.receive({ side: 'before', of: 'turn-3', ...next });
    frames.draw();
    assert.equal(ids(window)[0], first);
    window.askMore('before');
    window.receive({ side: 'before', of: first, ...next });
    for (let count = 0; count < 20; count++) frames.draw();
    assert.equal(ids(window)[0], next.turns[0]?.id);
    assert.equal(new Set(ids(window)).size, ids(window).length);
  });

  it('drops turns at both ends, with those not rendered yet', () => {
    const { window, posted } = openLong();
    window.askMore('before');
    const [first = ''] = ids(window);
    const next = adjacentTurns(conversation, 'before', first);
    assert.ok(next !== undefined);
    window.receive({ side: 'before', of: first, ...next });
    const before = ids(window);
    window.drop(2, 3);
    frames.draw();
    assert.deepEqual(ids(window), before.slice(2, -3));
    assert.deepEqual([window.hasStart.value, window.hasEnd.value], [false, false]);
    window.askMore('after');
    assert.deepEqual(posted.at(-1), { type: 'turns', side: 'after', of: 'turn-97' });
  });
});
