import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attachedImageOf } from '../../../../src/core/conversation/attachedImage.ts';
import type { AttachedImage } from '../../../../src/core/conversation/conversation.ts';
import { readImageUrl } from '../../../../src/core/support/image.ts';
import { ChatImages, ImageFiles } from '../../../../src/host/chat/imageFiles.ts';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { ChatTrash, eraseExpired, trashTime } from '../../../../src/host/chat/trash.ts';
import type { KeptFiles } from '../../../../src/host/platform/keptFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { imageAttachment, imageBytes } from '../../../support/images.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

const kinds: Readonly<Record<string, (folder: string) => KeptFiles>> = {
  'on the disk': (folder) => new DiskFiles(folder),
  'without a disk': (folder) => virtualFiles(folder),
};

const bytes = imageBytes.png(300, 200);

async function recorded(content = bytes): Promise<AttachedImage> {
  const image = await attachedImageOf(content);
  assert.ok(image);
  return image;
}

for (const [kind, open] of Object.entries(kinds)) {
  describe(`images of chats ${kind}`, () => {
    let folder: TemporaryFolder;
    let files: KeptFiles;
    let images: ImageFiles;
    let journals: JournalFiles;
    let image: AttachedImage;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      files = open(folder.path);
      images = new ImageFiles(files.folder('chats'));
      journals = new JournalFiles(files.folder('chats'));
      image = await recorded();
    });
    afterEach(() => folder.dispose());

    it('are read only by their chat', async () => {
      await images.save('one', image, bytes);
      assert.equal(await images.read('one', image), Buffer.from(bytes).toString('base64'));
      assert.equal(await images.read('two', image), undefined);
      const attachment = imageAttachment('a', { image });
      const urls = await images.load('one', [attachment, imageAttachment('b')]);
      assert.deepEqual(readImageUrl(urls(attachment) ?? ''), {
        type: 'image/png',
        width: 300,
        height: 200,
      });
      assert.equal(urls(imageAttachment('b')), undefined);
    });

    it('are undefined if their file is damaged, or the hash is invalid', async () => {
      await images.save('one', image, bytes);
      assert.equal(await images.read('one', { ...image, type: 'image/jpeg' }), undefined);
      for (const hash of ['../two', '', 'A'.repeat(64), `${'a'.repeat(64)}/x`])
        await assert.rejects(images.read('one', { ...image, hash }));
      await assert.rejects(images.save('../one', image, bytes));
    });

    it("aren't listed as chats", async () => {
      await images.save('one', image, bytes);
      assert.deepEqual(await journals.list(), []);
      await journals.append('one', '{}\n');
      assert.deepEqual(await journals.list(), ['one']);
    });

    it('are deleted, restored and erased with their chat', async () => {
      const trash = new ChatTrash(files);
      await images.save('one', image, bytes);
      await images.save('two', image, bytes);
      await journals.append('one', '{}\n');
      await journals.append('two', '{}\n');
      assert.ok((await trash.size('one')) > bytes.length);
      const deleted = await trash.remove('one', 1);
      assert.ok(deleted);
      assert.equal(await images.read('one', image), undefined);
      await trash.restore(deleted);
      assert.notEqual(await images.read('one', image), undefined);
      await trash.remove('one', 1);
      const forget = (): Promise<void> => Promise.resolve();
      await eraseExpired(trash, forget, trashTime);
      assert.match(await allNames(), /image/);
      await eraseExpired(trash, forget, trashTime + 1);
      assert.doesNotMatch((await allNames()).replaceAll(/two\.jsonl\.\S*/g, ''), /image/);
      assert.notEqual(await images.read('two', image), undefined);
    });

    it('are copied, except missing ones', async () => {
      await images.save('one', image, bytes);
      const gone = { ...image, hash: 'b'.repeat(64) };
      const copying = images.copy('one', 'two', [gone, image]);
      // A read during the copy waits for it.
      assert.notEqual(await images.read('two', image), undefined);
      await copying;
      assert.equal(await images.read('two', gone), undefined);
      assert.notEqual(await images.read('one', image), undefined);
    });

    it('of drafts are removed after 30 days, and never those of a saved chat', async () => {
      await images.save('draft', image, bytes);
      await images.save('one', image, bytes);
      await journals.append('one', '{}\n');
      await images.removeStray(Date.now() + 29 * 24 * 60 * 60 * 1000);
      assert.notEqual(await images.read('draft', image), undefined);
      await images.removeStray(Date.now() + 31 * 24 * 60 * 60 * 1000);
      assert.equal(await images.read('draft', image), undefined);
      assert.notEqual(await images.read('one', image), undefined);
    });

    it('removed from a message stay for another one', async () => {
      const used: AttachedImage[] = [image];
      const chat = new ChatImages(images, { id: 'one', usedImages: used });
      const saved = await chat.save(bytes);
      assert.deepEqual(saved, image);
      await chat.release(image);
      assert.match((await chat.url(image.hash)) ?? '', /^data:image\/png;base64,/);
      used.pop();
      assert.equal(await chat.url(image.hash), undefined);
      await chat.release(image);
      assert.equal(await images.read('one', image), undefined);
      assert.equal(await chat.save(new TextEncoder().encode('<svg/>')), undefined);
    });

    async function allNames(): Promise<string> {
      return (await readdir(folder.path, { recursive: true })).join('\n');
    }
  });
}

describe('the file of an image', () => {
  it('is readable only by its owner, and read only while it is an image', async () => {
    const folder = await TemporaryFolder.create();
    const images = new ImageFiles(new DiskFiles(folder.path));
    const image = await recorded();
    await images.save('one', image, bytes);
    const [name = ''] = await readdir(folder.path);
    const { mode } = await stat(join(folder.path, name));
    if (process.platform !== 'win32') assert.equal(mode & 0o077, 0);
    await writeFile(join(folder.path, name), 'no image');
    assert.equal(await images.read('one', image), undefined);
    await folder.dispose();
  });
});
