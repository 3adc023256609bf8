import { turnStart } from '../../../support/turns.ts';
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { runs } from '../../../support/sample.ts';
import { until } from '../../../support/until.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { attachedImageOf } from '../../../../src/core/conversation/attachedImage.ts';
import type { AttachedImage } from '../../../../src/core/conversation/conversation.ts';
import { base64Of } from '../../../../src/core/support/image.ts';
import { imageAttachment, imageBytes } from '../../../support/images.ts';
import { SavedRig, uriOf } from './savedRig.ts';

/** Titles that make difficult file names. */
const fileNames = {
  names: fc.constantFrom(
    ...['con', 'NUL', 'Aux', 'com1', 'LPT9', 'COM²', '..', '.', '.git', 'a.', '-rf', '$(trash)'],
    ...['𠮷'.repeat(90), '字'.repeat(90), `${'a'.repeat(59)}𠮷`, `${'a'.repeat(59)}e\u0301`],
  ),
  parts: fc.string({ unit: 'binary', maxLength: 90 }),
};

describe('commands on saved chats', () => {
  let folder: TemporaryFolder;
  let rig: SavedRig;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    rig = new SavedRig(folder.path);
  });
  afterEach(async () => {
    await rig.flush();
    rig.dispose();
    await folder.dispose();
  });

  async function assertRefused(work: Promise<unknown>, words: RegExp): Promise<void> {
    await assert.rejects(work, (error: Error) => {
      assert.equal(error.name, UserError.name);
      assert.match(error.message, words);
      return true;
    });
  }

  /** Resolves when this many chats are saved. */
  async function savedChats(count: number): Promise<void> {
    while ((await rig.storage.list()).length !== count) await setImmediate();
  }

  it('are exported without a key that is still being read', async () => {
    await rig.save('one', 'Open sesame and barley.');
    for (const format of ['json', 'markdown'] as const) {
      rig.keys = [];
      rig.learned = async () => {
        // Longer than the export takes.
        for (let turn = 0; turn < 500; turn++) await setImmediate();
        rig.keys = ['sesame', 'barley'];
      };
      const to = join(folder.path, `key.${format}`);
      await rig.commands.export('one', { format, to: uriOf(to) });
      assert.match(await readFile(to, 'utf8'), /Open KEY and KEY/);
    }
  });

  it('are attached as text without keys, which tells whether they are tainted, until deleted', async () => {
    const call = { id: 'c', name: 'fetch', arguments: '{}', round: 1 };
    await rig.save('own', 'Open sesame with ghp_abcdefghijklmnopqrstuvwxyz0123456789.');
    await rig.save(
      'foreign',
      'Fetch.',
      turnStart({ id: 'next' }),
      { type: 'tool-call-start', call },
      { type: 'tool-call-run', id: 'c', at: 4 },
    );
    const { title, text, isTainted } = await rig.chatFiles.text('own', 1000);
    assert.match(title, /^Open KEY with ghp_‹masked/);
    assert.match(text, /^## User\n\nOpen KEY with ghp_‹masked [^]*## Assistant \(m\)\n\nSo: own$/);
    assert.equal(isTainted, false);
    assert.equal((await rig.chatFiles.text('foreign', 1000)).isTainted, true);
    const fields = { id: 'a', name: 'Chat: Fetch.', path: '', language: '', text: '' };
    const copy = { ...fields, kind: 'chat', tainted: true } as const;
    await rig.save('further', { text: 'And this?', attachments: [copy] });
    assert.equal((await rig.chatFiles.text('further', 1000)).isTainted, true, 'through another');
    await rig.commands.delete('own');
    await assertRefused(rig.chatFiles.text('own', 1000), /no longer saved/);
  });

  describe('a chat with an image', () => {
    const bytes = imageBytes.png(300, 200);
    let image: AttachedImage;
    /** The image of the chat's only message, in base64. */
    const imageOf = async (id: string): Promise<string | undefined> => {
      const [turn] = (await rig.saved(id)).turns;
      const attached = turn?.question.attachments[0]?.image;
      return attached && (await rig.images.read(id, attached));
    };
    const exported = join('with', 'image.json');
    const path = (): string => join(folder.path, exported);
    const importChat = async (text: string): Promise<string> => {
      await writeFile(path(), text);
      await rig.commands.import(uriOf(path()));
      return rig.chat.conversation.id;
    };

    beforeEach(async () => {
      await mkdir(join(folder.path, 'with'));
      const attached = await attachedImageOf(bytes);
      assert.ok(attached);
      image = attached;
      const attachments = [imageAttachment('a', { image }), imageAttachment('b')];
      await rig.save('one', { text: 'What is it?', attachments });
      await rig.images.save('one', image, bytes);
    });

    it('has it in a fork, also when the chat is deleted', async () => {
      await rig.commands.fork('one', undefined);
      const { id } = rig.chat.conversation;
      await rig.images.remove('one', image);
      assert.equal(await imageOf(id), base64Of(bytes));
    });

    it('has it after export and import, each time', async () => {
      await rig.commands.export('one', { format: 'json', to: uriOf(path()) });
      const text = await readFile(path(), 'utf8');
      assert.equal(await imageOf(await importChat(text)), base64Of(bytes));
    });

    it('is imported without mismatched image data', async () => {
      await rig.commands.export('one', { format: 'json', to: uriOf(path()) });
      const text = await readFile(path(), 'utf8');
      const base64 = base64Of(bytes);
      const others = [
        base64Of(imageBytes.png(300, 201)),
        base64Of(imageBytes.gif(300, 200)),
        'no base64',
        '',
        'A'.repeat(7_000_000),
      ];
      for (const other of others) {
        const id = await importChat(text.replace(base64, other));
        assert.equal(await imageOf(id), undefined, other.slice(0, 50));
        assert.equal((await rig.saved(id)).turns[0]?.question.text, 'What is it?');
      }
      const wide = await importChat(text.replace('"width": 300', '"width": 3'));
      assert.equal(await imageOf(wide), undefined);
    });

    it('is not imported if a hash or format is invalid', async () => {
      await rig.commands.export('one', { format: 'json', to: uriOf(path()) });
      const text = await readFile(path(), 'utf8');
      const wrong = [
        text.replaceAll(image.hash, '../../../etc/passwd'),
        text.replace('"image/png"', '"text/html"'),
        text.replace('"width": 300', '"width": -1'),
      ];
      for (const content of wrong) await assert.rejects(importChat(content), /invalid content/);
    });
  });

  describe('fork', () => {
    it("shows a new chat with the earlier turns, and doesn't change the original", async () => {
      await rig.save('one');
      const before = await rig.storage.read('one');
      await rig.commands.fork('one', 'one-t');
      assert.notEqual(rig.chat.conversation.id, 'one');
      assert.equal(rig.chat.conversation.turns[0]?.question.text, 'Why?');
      assert.equal(rig.chat.conversation.title, 'Why? (fork)');
      assert.equal(await rig.storage.read('one'), before);
      await assert.rejects(rig.commands.fork('one', 'gone'), /This message no longer exists/);
      assert.equal((await rig.storage.list()).length, 2);
      await rig.save('untitled', '```');
      await rig.commands.fork('untitled', undefined);
      assert.equal(rig.chat.conversation.title, 'Untitled Chat (fork)');
    });

    it('takes along what was typed in a chat that is open in another window', async () => {
      for (const id of ['here', 'elsewhere']) {
        await rig.save(id);
        if (id === 'elsewhere') assert.ok(await rig.otherLocks.acquire(id));
        const opening = rig.open(id);
        while (rig.chat.conversation.turns.length === 0) {
          // The attempts to get the lock, on a real disk.
          const [next = Infinity] = rig.clock.waits;
          await (next > 200 ? setTimeout(2) : rig.clock.advance(next));
        }
        await opening;
        const original = rig.composer;
        await original.setDraft('A draft');
        await rig.commands.fork(id, undefined);
        assert.equal(rig.composer.draft, id === 'elsewhere' ? 'A draft' : '');
        assert.equal(original.draft, id === 'elsewhere' ? '' : 'A draft');
      }
    });
  });

  describe('rename and pin', () => {
    it('change a chat that is not open, by one line each, and release it', async () => {
      await rig.save('one');
      const before = (await rig.storage.read('one')) ?? '';
      rig.answers.prompt = ' A  new\nname ';
      await rig.commands.rename('one', undefined);
      await rig.commands.pin('one');
      assert.deepEqual(rig.questions, ['Why?']);
      const after = (await rig.storage.read('one')) ?? '';
      assert.ok(after.startsWith(before));
      assert.equal(after.slice(before.length).trim().split('\n').length, 2);
      const { title, pinned } = await rig.saved('one');
      assert.deepEqual([title, pinned], ['A new name', true]);
      assert.ok(await rig.otherLocks.acquire('one'));
    });

    it('change the open chat, and several at once', async () => {
      for (const id of ['one', 'two']) await rig.save(id);
      await rig.open('one');
      await rig.commands.rename(undefined, 'Name');
      assert.equal(rig.chat.conversation.title, 'Name');
      await rig.commands.pin(['one', 'two']);
      await rig.flush();
      for (const id of ['one', 'two']) assert.equal((await rig.saved(id)).pinned, true);
      await rig.commands.pin(['one', 'two']);
      await rig.flush();
      for (const id of ['one', 'two']) assert.equal((await rig.saved(id)).pinned, undefined);
    });

    it('change nothing while another window has the chat', async () => {
      await rig.save('one');
      assert.ok(await rig.otherLocks.acquire('one'));
      const before = await rig.storage.read('one');
      await assertRefused(rig.commands.rename('one', 'x'), /another window/);
      await assertRefused(rig.commands.pin('one'), /another window/);
      await assertRefused(rig.commands.delete('one'), /another window/);
      assert.equal(await rig.storage.read('one'), before);
      assert.deepEqual(await rig.storage.list(), ['one']);
    });

    it('report that there is no such chat, and that the open one is empty', async () => {
      for (const id of ['gone', '../one', '']) {
        await assertRefused(rig.commands.rename(id, 'x'), /no longer saved/);
        await assertRefused(rig.commands.delete([id]), /no longer saved/);
      }
      await assertRefused(rig.commands.export(undefined, undefined), /empty/);
    });

    it("don't change chats of a later version, which can be deleted and restored", async () => {
      await rig.save('one');
      const journal = (await rig.storage.read('one')) ?? '';
      await rm(join(folder.path, 'chats/one.jsonl'));
      await rig.storage.append('one', journal.replace('"version":1', '"version":99'));
      await assertRefused(rig.commands.rename('one', 'x'), /later version/);
      const before = await rig.storage.read('one');
      rig.answers.undo = true;
      await rig.commands.delete('one');
      await until(() => rig.openedChats.length > 0);
      assert.deepEqual(rig.messages, ['Deleted “Why?”.']);
      assert.equal(await rig.storage.read('one'), before);
    });
  });

  describe('delete', () => {
    it('deletes a chat immediately, and restores it from the notice', async () => {
      await rig.save('one', 'Why [this](command:x)?');
      await rig.save('two');
      await rig.commands.delete('one');
      assert.deepEqual(rig.messages, ['Deleted “Why [this](command:x)?”.']);
      assert.deepEqual(await rig.storage.list(), ['two']);
      const before = await rig.storage.read('two');
      rig.answers.undo = true;
      await rig.commands.delete('two');
      await until(() => rig.openedChats.length > 0);
      assert.equal(await rig.storage.read('two'), before);
      assert.deepEqual(rig.openedChats, ['two']);
      assert.deepEqual(
        (await rig.trash.deleted()).map(({ id }) => id),
        ['one'],
      );
    });

    it('lists restorable chats, and restores them from there', async () => {
      await rig.save('one', 'Why\nnot?');
      await rig.save('two', 'x', { type: 'title-change', title: 'Wind' });
      await rig.commands.delete('one');
      await rig.commands.delete('two');
      const all = await rig.deletion.deleted();
      assert.deepEqual(all.map(({ title }) => title).sort(), ['Why', 'Wind']);
      await all.find(({ title }) => title === 'Wind')?.restore();
      assert.deepEqual(rig.openedChats, ['two']);
      assert.deepEqual(await rig.storage.list(), ['two']);
      assert.equal((await rig.deletion.deleted()).length, 1);
    });

    it('first shows a new chat in place of the open one', async () => {
      await rig.save('one');
      await rig.open('one');
      await rig.commands.delete(undefined);
      assert.notEqual(rig.chat.conversation.id, 'one');
      assert.equal(rig.chat.conversation.turns.length, 0);
      assert.deepEqual(await rig.storage.list(), []);
      // A later write must not restore it.
      await rig.flush();
      assert.deepEqual(await rig.storage.list(), []);
    });

    it('asks before it stops a reply, and keeps the received text', async () => {
      await rig.save('one');
      await rig.open('one');
      void rig.chat.send({ text: 'And?', attachments: [] }, 'm').catch(() => undefined);
      await until(() => rig.chat.isRunning);
      rig.answers.confirm = false;
      await rig.commands.delete('one');
      assert.ok(rig.chat.isRunning);
      assert.deepEqual(await rig.storage.list(), ['one']);
      rig.answers.confirm = true;
      rig.answers.undo = true;
      await rig.commands.delete('one');
      await until(() => rig.openedChats.length > 0);
      assert.equal(rig.questions.length, 2);
      const { turns } = await rig.saved('one');
      assert.deepEqual(
        turns.map(({ question, status }) => [question.text, status]),
        [
          ['Why?', 'finished'],
          ['And?', 'stopped'],
        ],
      );
    });

    it('includes lines that could not be written before', async () => {
      await rig.save('one');
      await rig.state.update('aside.unsaved', { one: 'unsaved\n' });
      await rig.commands.delete('one');
      assert.equal(rig.state.get('aside.unsaved'), undefined);
      const [chat] = await rig.trash.deleted();
      assert.ok(chat !== undefined);
      assert.match((await rig.trash.read(chat)) ?? '', /unsaved/);
    });

    it("deletes several, skipping those that it can't", async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await rig.save(id);
      await rig.commands.delete(['a', 'b']);
      assert.deepEqual(rig.messages, ['Deleted 2 chats.']);
      await rig.otherLocks.acquire('d');
      rig.answers.confirm = false;
      await rig.deletion.deleteAll();
      assert.match(rig.questions[0] ?? '', /^Delete all 3 chats \([12] kB\)\?$/);
      assert.equal((await rig.storage.list()).length, 3);
      rig.answers.confirm = true;
      rig.answers.undo = true;
      await rig.deletion.deleteAll();
      assert.match(String(rig.errors[0]), /another window/);
      await savedChats(3);
      assert.deepEqual([...(await rig.storage.list())].sort(), ['c', 'd', 'e']);
      assert.deepEqual(rig.openedChats, []);
    });
  });

  describe('export and import', () => {
    const names = async (path: string): Promise<readonly string[]> => (await readdir(path)).sort();

    it('writes several into a folder, without overwriting', async () => {
      for (const id of ['a', 'b']) await rig.save(id);
      const to = join(folder.path, 'exported');
      await mkdir(to);
      await writeFile(join(to, 'Why.json'), 'mine');
      await rig.commands.export(['a', 'b'], { format: 'json', to: uriOf(to) });
      assert.deepEqual(await names(to), ['Why 2.json', 'Why 3.json', 'Why.json']);
      assert.equal(await readFile(join(to, 'Why.json'), 'utf8'), 'mine');
      const uris = ['Why 2.json', 'Why 3.json'].map((name) => uriOf(join(to, name)));
      await rig.commands.import(uris);
      assert.equal((await rig.storage.list()).length, 4);
      assert.ok(rig.messages.includes('Imported 2 chats.'));
    });

    it('offers a name that every file system accepts, whatever the title is', async () => {
      const { names: titles, parts } = fileNames;
      rig.answers.pick = 1;
      await fc.assert(
        fc.asyncProperty(fc.oneof(titles, parts), async (title) => {
          const id = `c${(await rig.storage.list()).length}`;
          await rig.save(id, '', { type: 'title-change', title });
          rig.questions.length = 0;
          await rig.commands.export(id, undefined);
          const offered = rig.questions.at(-1) ?? '';
          const name = offered.slice(offered.lastIndexOf('/') + 1);
          assert.match(name, /^[^\\/:*?"<>|\p{C}. ](?:[^\\/:*?"<>|\p{C}]*[^. ])?\.json$/u);
          assert.doesNotMatch(name, /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\./i);
          assert.ok(Buffer.byteLength(name) <= 255);
        }),
        { numRuns: runs(60) },
      );
    });

    it('writes all chats into a folder, and imports those of a folder', async () => {
      await assertRefused(rig.commands.exportAll(undefined), /no saved chats/);
      for (const id of ['one', 'two', 'three']) await rig.save(id, `Why ${id}?`);
      const out = join(folder.path, 'out');
      await mkdir(out);
      await rig.commands.exportAll(uriOf(out));
      assert.equal((await names(out)).length, 3);
      assert.equal(rig.messages.at(-1), 'Exported 3 chats to out.');
      await writeFile(join(out, 'notes.txt'), 'no chat');
      rig.files.folder = out;
      await rig.commands.importAll(undefined);
      assert.equal((await rig.storage.list()).length, 6);
      assert.equal(rig.messages.at(-1), 'Imported 3 chats.');
    });

    it("names the files that aren't chats, and imports the others", async () => {
      await rig.save('one');
      const path = (name: string): string => join(folder.path, name);
      await rig.commands.export('one', { format: 'json', to: uriOf(path('good.json')) });
      const good = await readFile(path('good.json'), 'utf8');
      await writeFile(path('words.json'), 'Hello');
      await writeFile(path('later.json'), good.replace('"version": 1', '"version": 7'));
      await writeFile(path('forged.json'), good.replace('"finished"', '"asking"'));
      const all = ['words.json', 'good.json', 'later.json', 'forged.json'];
      const work = rig.commands.import(all.map((name) => uriOf(path(name))));
      await assertRefused(
        work,
        /words\.json contains no chats exported from Aside[^]*later\.json was[^]*forged\.json[^]*turns\.0/,
      );
      assert.equal((await rig.storage.list()).length, 2);
      assert.equal(rig.openedChats.length, 1);
    });

    it('has reasoning only if the person chooses that', async () => {
      const at = 4;
      await rig.save(
        'one',
        'Why?',
        turnStart({ id: 'second', after: 'one-t', at }),
        { type: 'reasoning-delta', text: 'Thoughts', at },
        { type: 'text-delta', text: 'Because', at },
        { type: 'turn-end', status: 'finished', at },
      );
      rig.files.save = join(folder.path, 'out');
      const written: boolean[] = [];
      for (const pick of [0, 1, 2, 3]) {
        rig.answers.pick = pick;
        await rig.commands.export('one', undefined);
        const text = await readFile(rig.files.save, 'utf8');
        assert.match(text, /Because/);
        written.push(text.includes('Thoughts'));
      }
      await rig.commands.copy('one');
      assert.doesNotMatch(rig.copied.join(''), /Thoughts/);
      assert.deepEqual(written, [false, false, true, true]);
      for (const pick of [0, 1]) {
        const to = join(folder.path, `all ${pick}`);
        await mkdir(to);
        rig.answers.pick = pick;
        rig.files.folder = to;
        await rig.commands.exportAll(undefined);
        const text = await readFile(join(to, 'Why.json'), 'utf8');
        assert.deepEqual(text.includes('Thoughts'), pick === 1);
      }
    });
  });

  it('update the recent chats immediately, without deleted ones', async () => {
    const titles = (): readonly string[] => rig.recent.current.map(({ title }) => title).toSorted();
    const areRecent = (...expected: readonly string[]): Promise<void> =>
      until(() => JSON.stringify(titles()) === JSON.stringify(expected));
    await rig.save('one', 'One');
    await rig.save('two', 'Two');
    await rig.commands.rename('one', 'Name');
    await areRecent('Name', 'Two');
    await rig.open('one');
    await rig.commands.delete(undefined);
    await areRecent('Two');
    await (await rig.deletion.deleted())[0]?.restore();
    await areRecent('Name', 'Two');
    await rig.commands.fork('two', undefined);
    await areRecent('Name', 'Two', 'Two (fork)');
    rig.answers.confirm = true;
    await rig.deletion.deleteAll();
    await areRecent();
  });
});
