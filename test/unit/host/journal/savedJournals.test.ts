import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { JournalFiles } from '../../../../src/host/journal/journalFiles.ts';
import { SavedChats, type SavedChat } from '../../../../src/host/history/savedChats.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { runs } from '../../../support/sample.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';
import { chatOf, MemoryText } from '../history/memoryJournals.ts';

function linesOf(text = ''): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

const adapters: readonly (readonly [string, (folder: string) => JournalFiles])[] = [
  ['files', diskJournals],
  ['segments', (folder) => new JournalFiles(virtualFiles(folder))],
];

describe('a folder of journals with other files', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  it('lists the chats without errors or hanging', async () => {
    const path = (name: string): string => join(folder.path, name);
    const storage = diskJournals(folder.path);
    await writeFile(path('good.jsonl'), chatOf('good', 'Why?'));
    await writeFile(path('empty.jsonl'), '');
    await writeFile(path('words.jsonl'), 'Hello\n'.repeat(1000));
    await writeFile(path('two words.jsonl'), chatOf('x', 'Why?'));
    await writeFile(path('a$(trash)\n.jsonl'), chatOf('x', 'Why?'));
    await writeFile(path('.jsonl'), chatOf('x', 'Why?'));
    await mkdir(path('folder.jsonl'));
    if (process.platform !== 'win32') {
      await symlink('/dev/zero', path('zero.jsonl'));
      await promisify(execFile)('mkfifo', [path('pipe.jsonl')]);
    }
    const huge = await open(path('huge.jsonl'), 'w');
    await huge.truncate(3_000_000_000);
    await huge.close();
    const errors: string[] = [];
    const onError = (what: string, error: unknown): void =>
      void errors.push(`${what} ${String(error)}`);
    const chats = new SavedChats({ journals: storage, cache: new MemoryText(), onError });
    let first: readonly SavedChat[] = [];
    const all = await chats.read((early) => (first = early));
    for (const saved of [first, all])
      assert.deepEqual(
        saved.map(({ id }) => id),
        ['good'],
      );
    assert.deepEqual(errors, []);
  });
});

for (const [name, create] of adapters)
  describe(`journals as ${name}`, () => {
    let folder: TemporaryFolder;
    let storage: JournalFiles;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      storage = create(join(folder.path, 'chats'));
    });
    afterEach(() => folder.dispose());

    it('are none before the first is written', async () => {
      assert.deepEqual(await storage.list(), []);
      assert.equal(await storage.read('a'), undefined);
      assert.equal(await storage.status('a'), undefined);
    });

    it('are listed, and read as they were written', async () => {
      await storage.append('a', 'one\n');
      await storage.append('b', 'other\n');
      await storage.append('a', 'zwölf\n', true);
      assert.deepEqual((await storage.list()).toSorted(), ['a', 'b']);
      const lines = (await storage.read('a'))?.split('\n').filter((line) => line !== '');
      assert.deepEqual(lines, ['one', 'zwölf']);
    });

    it('tell their size in bytes, and when they were last written', async () => {
      const start = Date.now() - 5000;
      await storage.append('a', 'one\n');
      const before = await storage.status('a');
      assert.equal(before?.size, 4);
      await storage.append('a', 'zwölf\n');
      const after = await storage.status('a');
      assert.equal(after?.size, 11);
      assert.ok(after.modified >= before.modified && before.modified > start);
    });

    it('are read from any position, each complete line once, however they grow', async () => {
      const texts = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 8,
      });
      let count = 0;
      await fc.assert(
        fc.asyncProperty(texts, fc.array(fc.boolean()), async (appended, looks) => {
          const id = `chat-${(count += 1)}`;
          assert.equal(await storage.readOn(id), undefined);
          let end: string | undefined;
          const parts: string[] = [];
          const look = async (): Promise<void> => {
            const part = await storage.readOn(id, end);
            assert.ok(part !== undefined);
            assert.equal(part.isStart, end === undefined);
            end = part.end;
            parts.push(...linesOf(part.text));
          };
          for (const [index, lines] of appended.entries()) {
            await storage.append(id, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
            if (looks[index] === true) await look();
          }
          await look();
          assert.deepEqual(parts, linesOf(await storage.read(id)));
          await look();
          assert.deepEqual(parts, linesOf(await storage.read(id)));
        }),
        { numRuns: runs(60) },
      );
    });

    it('are not recreated if one was removed', async () => {
      await assert.rejects(storage.append('a', 'one\n', true));
      assert.deepEqual(await storage.list(), []);
    });
  });

describe('a journal in a file', () => {
  it('is read further when its last line is complete, and from the start if it was replaced', async () => {
    const folder = await TemporaryFolder.create();
    const storage = diskJournals(folder.path);
    const path = join(folder.path, 'a.jsonl');
    await storage.append('a', 'one\n');
    await appendFile(path, 'zw\u00f6');
    const first = await storage.readOn('a');
    assert.deepEqual(linesOf(first?.text), ['one']);
    await appendFile(path, 'lf\n');
    const second = await storage.readOn('a', first?.end);
    assert.deepEqual([second?.text, second?.isStart], ['zw\u00f6lf\n', false]);
    await writeFile(path, 'new\n');
    const third = await storage.readOn('a', second?.end);
    assert.deepEqual([third?.text, third?.isStart], ['new\n', true]);
    await rm(path);
    assert.equal(await storage.readOn('a', third?.end), undefined);
    await folder.dispose();
  });
});
