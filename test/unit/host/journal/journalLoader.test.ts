import assert from 'node:assert/strict';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { pieceLength } from '../../../../src/core/conversation/readInPieces.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import type { ConversationWindow } from '../../../../src/core/conversation/window.ts';
import { JournalLoader } from '../../../../src/host/journal/journalLoader.ts';
import { UnsavedText } from '../../../../src/host/journal/unsavedText.ts';
import { writeLongJournal } from '../../../support/longJournal.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { turnStart } from '../../../support/turns.ts';
import { FakeMemento } from '../fakes.ts';

const header = writeHeader({ conversation: 'c', workspace: 'before', at: 0 });
const short =
  header + writeEvent(turnStart(), 1) + writeEvent({ type: 'text-delta', text: 'It', at: 2 }, 2);
const long = writeLongJournal({ conversation: 'c', messages: 200, length: pieceLength * 1.5 });

function rig(text: string) {
  const storage = new MemoryStorage();
  storage.texts.set('c', text);
  const unsaved = new UnsavedText(new FakeMemento());
  const texts = { interrupted: 'The window was closed.', leftRunning: 'The other was closed.' };
  const options = { storage, clock: systemClock, workspace: 'now', ...texts };
  const views: ConversationWindow[] = [];
  const show = (newest: ConversationWindow): void => void views.push(newest);
  return { loader: new JournalLoader(options, unsaved), storage, unsaved, views, show };
}

function errorsIn(view: ConversationWindow | undefined): readonly (string | undefined)[] {
  return (view?.conversation.turns ?? []).map(({ error }) => error?.message);
}

describe('JournalLoader', () => {
  it('shows the end of a long chat first, as the whole chat shows it then', async () => {
    const { loader, show, views } = rig(long);
    assert.equal(await loader.showEarly('c', show, true), true);
    const { content, ends } = await loader.load('c', long, show, false);
    const { turns } = content.conversation;
    assert.equal(views.length, 2);
    for (const { conversation } of views)
      assert.deepEqual(conversation.turns, turns.slice(-conversation.turns.length));
    for (const { before } of views) assert.ok(before > 0);
    assert.deepEqual(content.conversation, readJournal('c', long).conversation);
    assert.deepEqual(ends, []);
  });

  it('shows a short chat at once, and ends its turn only if no other window runs it', async () => {
    const { loader, show, views } = rig(short);
    assert.equal(await loader.showEarly('c', show, true), false);
    assert.equal(await loader.showEarly('c', show, false), false);
    assert.deepEqual(views.map(errorsIn), [['The window was closed.'], []]);
    assert.ok(views[1]?.conversation.running !== undefined);
  });

  for (const [wasFollowed, message] of [
    [false, 'The window was closed.'],
    [true, 'The other was closed.'],
  ] as const)
    it(`ends a turn that was left running, by another window: ${wasFollowed}`, async () => {
      const { loader, show, views } = rig(short);
      const { content, ends } = await loader.load('c', short, show, wasFollowed);
      assert.deepEqual(views, []);
      assert.equal(turnText(content.conversation.running ?? assert.fail()), 'It');
      assert.ok(ends.some((end) => JSON.stringify(end).includes(message)));
    });

  it('reads lines that could not be written, and shows nothing before these', async () => {
    const { loader, show, unsaved, views } = rig(long);
    const line = writeEvent({ type: 'title-change', title: 'Later' }, 10_000);
    await unsaved.keep('c', line);
    assert.equal(await loader.showEarly('c', show, true), false);
    assert.deepEqual(views, []);
    const { content } = await loader.load('c', (await loader.text('c')) ?? '', show, false);
    assert.equal(content.conversation.title, 'Later');
  });
});
