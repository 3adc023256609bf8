import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { KeptFiles } from '../../src/host/platform/keptFiles.ts';
import { storageCalls, KeptFilesModel, type KeptFolder } from './keptFilesModel.ts';

export interface KeptFilesKind {
  open(): Promise<KeptFolder>;
  /** True if windows can lock files, and replace a file atomically. */
  readonly isDisk: boolean;
  /** Number of runs of each property. */
  readonly numRuns: number;
}

/** Declares tests that every implementation of `KeptFiles` must pass. */
export function describeKeptFiles(where: string, kind: KeptFilesKind): void {
  describe(`kept files ${where}`, () => {
    let folder: KeptFolder;
    beforeEach(async () => {
      folder = await kind.open();
    });
    afterEach(() => folder.dispose());

    const windows = (count: number): readonly KeptFiles[] =>
      Array.from({ length: count }, () => folder.window());

    it('behave like a map, whatever three windows do in turn', async () => {
      const property = fc.asyncProperty(storageCalls, async (calls) => {
        const folder = await kind.open();
        try {
          const model = new KeptFilesModel(folder);
          await fc.asyncModelRun(() => ({ model, real: undefined }), calls);
          await model.check();
        } finally {
          await folder.dispose();
        }
      });
      await fc.assert(property, { numRuns: kind.numRuns });
    });

    it("contain every line that windows append at the same time, complete and in each window's order", async () => {
      const file = 'usage/2030-01-31.jsonl';
      const written = [0, 1, 2, 3].map((by) =>
        Array.from({ length: 12 }, (_, line) => `${by} ${line} ${'é'.repeat(line * 50)}`),
      );
      const work = windows(4).map(async (window, by) => {
        for (const line of written[by] ?? []) {
          await window.append(file, `${line}\n`);
          assert.ok(linesOf(await window.read(file)).includes(line));
        }
        // These appends aren't awaited one by one.
        const more = [`${by} more`, `${by} last`].map((line) => window.append(file, `${line}\n`));
        await Promise.all(more);
      });
      await Promise.all(work);
      const storedLines = linesOf(await folder.window().read(file));
      for (const [by, lines] of written.entries()) {
        const ownLines = storedLines.filter((line) => line.startsWith(`${by} `));
        assert.deepEqual(ownLines.slice(0, 12), lines);
        assert.deepEqual(ownLines.slice(12).toSorted(), [`${by} last`, `${by} more`]);
      }
      assert.equal(storedLines.length, 4 * 14);
    });

    it('can be followed line by line while other windows append', async () => {
      const file = 'chats/a.jsonl';
      const seen: string[][] = [[], []];
      let isWritten = false;
      const reading = windows(2).map(async (window, by) => {
        let end: string | undefined;
        for (let isLast = false; !isLast;) {
          isLast = isWritten;
          const part = await window.readOn(file, end);
          if (part !== undefined) assert.equal(part.isStart, seen[by]?.length === 0);
          end = part?.end;
          seen[by]?.push(...linesOf(part?.text));
        }
      });
      // These appends aren't awaited one by one, and the first take longer to write.
      const writing = windows(2).flatMap((window, by) =>
        Array.from({ length: 15 }, (_, line) =>
          window.append(file, `${by} ${line} ${'x'.repeat(2 ** (18 - line))}\n`),
        ),
      );
      await Promise.all(writing);
      isWritten = true;
      await Promise.all(reading);
      const all = linesOf(await folder.window().read(file)).toSorted();
      for (const lines of seen) assert.deepEqual(lines.toSorted(), all);
    });

    it('are created by one window, atomically', async () => {
      const file = 'locks/c.1.lock';
      const texts = Array.from({ length: 8 }, (_, by) => `${by} `.repeat(5000));
      const watch = folder.window();
      const look = async (): Promise<void> => {
        const text = await watch.read(file);
        assert.ok(text === undefined || texts.includes(text));
        const names = await watch.names('locks');
        assert.ok(names.every((name) => name === 'c.1.lock'));
      };
      const creating = windows(8).map((window, by) => window.create(file, texts[by] ?? ''));
      await Promise.all(Array.from({ length: 20 }, look));
      const created = await Promise.all(creating);
      const storedText = await watch.read(file);
      assert.ok(texts.some((text, by) => text === storedText && created[by] === true));
      if (kind.isDisk) assert.equal(created.filter(Boolean).length, 1);
      for (const window of windows(8)) assert.equal(await window.create(file, ''), false);
      await look();
    });

    it('are replaced atomically', async () => {
      const texts = ['a'.repeat(40_000), 'b'.repeat(10)];
      const watch = folder.window();
      await watch.write('heads.json', 'a'.repeat(40_000));
      const writing = windows(2).map((window, by) => window.write('heads.json', texts[by] ?? ''));
      for (let look = 0; look < 10; look++) {
        const text = (await watch.read('heads.json')) ?? '';
        assert.ok(texts.includes(text) || !kind.isDisk);
      }
      await Promise.all(writing);
      await folder.window().write('heads.json', 'last');
      assert.equal(await watch.read('heads.json'), 'last');
    });

    it('stay removed', async () => {
      const [writer, remover] = windows(2);
      assert.ok(writer && remover);
      await writer.append('chats/a.jsonl', 'line\n');
      await writer.create('locks/a.1.lock', 'lock');
      await remover.remove('chats/a.jsonl');
      await remover.remove('locks/a.1.lock');
      await remover.remove('locks/a.1.lock');
      await assert.rejects(writer.append('chats/a.jsonl', 'line\n', true), /was deleted: .*\ba\b/);
      await writer.sync('chats/a.jsonl');
      await writer.replace('locks/a.1.lock', 'lock');
      assert.deepEqual([await remover.names('chats'), await remover.names('locks')], [[], []]);
    });

    it('preserve any text', async () => {
      const property = fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.nat(2),
        async (text, end) => {
          const content = `${['', '\ufeff', '\r\n'][end] ?? ''}${text}`;
          const window = folder.window();
          await window.write('changes/c/t/x.txt', content);
          assert.equal(await folder.window().read('changes/c/t/x.txt'), content);
        },
      );
      await fc.assert(property, { numRuns: kind.numRuns });
    });

    it('keep lines that were set aside when more are appended', async () => {
      const window = folder.window();
      await window.append('chats/a.jsonl', 'damaged\n');
      await window.setAside('chats/a.jsonl', 'chats/a.jsonl.corrupt-1');
      await window.append('chats/a.jsonl', 'more\n');
      assert.deepEqual(linesOf(await window.read('chats/a.jsonl')), ['damaged', 'more']);
      const copy = await window.read('chats/a.jsonl.corrupt-1');
      assert.ok(copy === undefined || copy === 'damaged\n');
    });

    it('of a folder are also those of its parent folder', async () => {
      const window = folder.window();
      await window.prepare();
      await window.folder('locks').create('a.1.lock', 'lock');
      assert.equal(await window.read('locks/a.1.lock'), 'lock');
      assert.deepEqual(await folder.window().folder('locks').names(), ['a.1.lock']);
      assert.ok(window.folder('locks').location.startsWith(window.location));
    });

    for (const path of ['../out.txt', 'chats/../../out.txt', 'chats\\..\\..\\out.txt', '..'])
      it(`reject paths outside the folder: ${path}`, async () => {
        const window = folder.window().folder('inner');
        await assert.rejects(window.write(path, 'x'));
        await assert.rejects(window.create(path, 'x'));
        await assert.rejects(window.append(path, 'x\n'));
        await assert.rejects(window.rename('a.txt', path));
        await assert.rejects(async () => window.remove(path));
        await assert.rejects(async () => window.read(path));
        assert.throws(() => window.folder(path));
      });
  });
}

function linesOf(text = ''): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
