import assert from 'node:assert/strict';
import { base64Of } from '../../../../src/core/support/image.ts';
import type { AttachmentChip } from '../../../../src/protocol/messages.ts';
import { imageBytes } from '../../../support/images.ts';
import { PanelPage, readyState } from '../panel.ts';
import { chip as anyChip } from '../tools.ts';

const field = '[aria-label=Message]';
const chip: AttachmentChip = { ...anyChip, name: 'app.ts:3-9' };

/**
 * Stubs image decoding, which jsdom lacks: each image has this size, and is encoded as the name of
 * its format.
 * @param losslessSize bytes of an image encoded as PNG
 * @returns the sizes in which images are drawn
 */
function decodeImages(
  { window }: PanelPage,
  width: number,
  height: number,
  losslessSize = 9,
): readonly string[] {
  const drawn: string[] = [];
  class Canvas {
    readonly size: string;
    constructor(wide: number, high: number) {
      this.size = `${wide} × ${high}`;
    }
    getContext(): object {
      return { drawImage: () => drawn.push(this.size) };
    }
    convertToBlob({ type }: { type: string }): Promise<Blob> {
      const isLossless = type === 'image/png';
      const blob = new window.Blob([type.padEnd(isLossless ? losslessSize : 0)]);
      return Promise.resolve(blob);
    }
  }
  const bitmap = { width, height, close: () => undefined };
  Object.assign(window, {
    createImageBitmap: () => Promise.resolve(bitmap),
    OffscreenCanvas: Canvas,
  });
  return drawn;
}

interface Brought {
  readonly data?: Readonly<Record<string, string>>;
  readonly files?: readonly File[];
}

describe('attachments', () => {
  let page: PanelPage;
  const open = async (...attachments: AttachmentChip[]): Promise<void> => {
    page = await PanelPage.open({ state: { ...readyState, attachments } });
  };
  describe('as chips', () => {
    it('show their tokens, are opened by their name and removed by their button', async () => {
      await open(chip);
      assert.equal(page.element('.chip').textContent, 'app.ts:3-9≈1.2k tokens');
      await page.click('app.ts:3-9, ≈1.2k tokens');
      page.button('Remove app.ts:3-9').focus();
      await page.click('Remove app.ts:3-9');
      assert.deepEqual(page.requests(), [
        { name: 'show-attachment', parameters: { attachment: 'a1' } },
        { name: 'remove-attachment', parameters: { attachment: 'a1' } },
      ]);
      assert.equal(page.activeElement, page.element(field));
    });

    it('are attached with one click when suggested', async () => {
      await open({ ...chip, state: 'offered' });
      assert.deepEqual(page.buttons('Remove app.ts:3-9'), []);
      await page.click('Attach app.ts:3-9');
      assert.deepEqual(page.requests(), [
        { name: 'attach-offered', parameters: { attachment: 'a1' } },
      ]);
    });

    it('offer instructions that are not in use, and mark changed ones', async () => {
      const file = { ...chip, name: 'AGENTS.md', isInstructions: true } as const;
      await open({ ...file, id: 'i1', state: 'offered' }, { ...file, id: 'i2', state: 'changed' });
      const titles = page.all('.chip.offered, .chip-open').map(({ title }) => title);
      assert.match(titles[0] ?? '', /\nWorkspace instructions, not in use\. Click to review\.$/);
      assert.match(titles.at(-1) ?? '', /with your messages\.\nChanged since you allowed it/);
    });

    it('mark what was sent already, and what has changed since', async () => {
      await open({ ...chip, state: 'unchanged' }, { ...chip, id: 'a2', state: 'changed' });
      assert.deepEqual(page.texts('.chip-open'), [
        'app.ts:3-9Already sent',
        'app.ts:3-9≈1.2k tokensChanged',
      ]);
    });

    it('are distinct from instructions, and show hidden characters', async () => {
      await open(
        { ...chip, id: 'i', name: 'AGENTS.md', icon: 'book', isInstructions: true },
        { ...chip, id: 'p', name: 'a\u202Egnp.exe' },
      );
      assert.equal(page.all('.chip .codicon-book').length, 1);
      assert.match(page.all('.chip-open')[0]?.title ?? '', /sent with your messages/);
      assert.equal(page.buttons('Remove a\\u{202e}gnp.exe').length, 1);
    });

    it('are picked in VS Code with the + button', async () => {
      await open();
      await page.click('Attach…');
      assert.deepEqual(page.requests(), [{ name: 'attach', parameters: {} }]);
      assert.equal(page.activeElement, page.element(field));
    });
  });

  describe('the cost', () => {
    const cost = (): string => page.texts('.cost').join();

    it('is in the footer, and counts the draft without a request to the host', async () => {
      await open();
      assert.equal(cost(), '≈100 tokens');
      await page.type(field, 'x'.repeat(400));
      assert.equal(cost(), '≈200 tokens');
      assert.deepEqual(page.requests(), []);
      assert.match(page.element('.cost').title, /for the next message: ≈200/);
    });

    it('is not shown while not connected', async () => {
      await open();
      await page.change({ connection: { kind: 'none' } });
      assert.equal(cost(), '');
    });
  });

  describe('drag and drop, and paste', () => {
    /** Dispatches a drop or paste; true if the page handled it. */
    async function bring(type: string, brought: Brought, on = field): Promise<boolean> {
      const { data = {}, files = [] } = brought;
      const event = new page.window.Event(type, { bubbles: true, cancelable: true });
      const transfer = {
        types: [...Object.keys(data), ...(files.length > 0 ? ['Files'] : [])],
        getData: (kind: string) => data[kind] ?? '',
        files,
      };
      Object.assign(event, { dataTransfer: transfer, clipboardData: transfer });
      const isTaken = !page.element(on).dispatchEvent(event);
      await page.drawn();
      return isTaken;
    }

    const file = (name: string, type: string, bytes = imageBytes.png(20, 10)): File =>
      new page.window.File([page.window.Uint8Array.from(bytes)], name, { type });

    beforeEach(() => open());

    it('attach files that are dropped anywhere, by their URIs', async () => {
      const data = {
        'application/vnd.code.uri-list': 'file:///w/a.ts\r\nfile:///w/b%20c.ts',
        'text/uri-list': 'https://example.com',
      };
      assert.ok(await bring('dragover', { data }, '[role=log]'));
      assert.equal(page.element('.drop-place').textContent, 'Drop to attach');
      assert.ok(await bring('drop', { data }, '[role=log]'));
      assert.deepEqual(page.requests(), [
        {
          name: 'attach-addresses',
          parameters: { addresses: ['file:///w/a.ts', 'file:///w/b%20c.ts'] },
        },
      ]);
      assert.equal(page.all('.drop-place').length, 0);
      assert.equal(page.activeElement, page.element(field));
    });

    it('leave text and links to the browser', async () => {
      assert.equal(await bring('dragover', { data: { 'text/plain': '/w/a.ts' } }), false);
      const link = { 'text/uri-list': '# a link\nhttps://example.com/a' };
      assert.equal(await bring('drop', { data: link }), false);
      assert.equal(await bring('paste', { data: { 'text/plain': 'see /w/a.ts' } }), false);
      assert.deepEqual(page.requests(), []);
    });

    it('refuse more than 100 files', async () => {
      const data = { 'text/uri-list': 'file:///w/a.ts\n'.repeat(101) };
      assert.ok(await bring('drop', { data }));
      assert.deepEqual(page.requests(), []);
      assert.match(page.element('[role=alert]').textContent, /100 files/);
    });

    it('attach a pasted path', async () => {
      assert.ok(await bring('paste', { data: { 'text/plain': '/w/src/a.ts\n' } }));
      assert.deepEqual(page.requests(), [
        { name: 'attach-addresses', parameters: { addresses: ['/w/src/a.ts'] } },
      ]);
      assert.equal(page.valueOf(field), '');
    });

    it('paste the text if there is no such file', async () => {
      page.refusal = 'There is no such file.';
      await page.type(field, 'GET ');
      assert.ok(await bring('paste', { data: { 'text/plain': '/api/v1' } }));
      assert.equal(page.valueOf(field), 'GET /api/v1');
    });

    it('attach an image, drawn again with at most 1,568 pixels a side', async () => {
      const drawn = decodeImages(page, 3136, 784);
      assert.ok(await bring('paste', { files: [file('image.png', 'image/png')] }));
      assert.ok(await bring('drop', { files: [file('photo.jpg', 'image/jpeg')] }));
      await page.until(() => page.requests().length === 2);
      assert.deepEqual(page.requests(), [
        { name: 'attach-image', parameters: { name: 'image.png', base64: btoa('image/png') } },
        { name: 'attach-image', parameters: { name: 'photo.jpg', base64: btoa('image/jpeg') } },
      ]);
      assert.deepEqual(drawn, ['1568 × 392', '1568 × 392']);
    });

    it('keep the size of a small image, and compress a large one with loss', async () => {
      const drawn = decodeImages(page, 20, 10, 1_000_001);
      assert.ok(await bring('paste', { files: [file('image.png', 'image/png')] }));
      await page.until(() => page.requests().length === 1);
      const [request] = page.requests();
      assert.ok(request?.name === 'attach-image');
      assert.ok(atob(request.parameters.base64).startsWith('image/webp'));
      assert.deepEqual(drawn, ['20 × 10']);
    });

    it('scale the image of a file down once, and show it', async () => {
      const drawn = decodeImages(page, 3136, 784);
      const hash = 'a'.repeat(64);
      const image = { ...chip, name: 'photo.jpg', image: hash, isOriginal: true };
      const value = `data:image/jpeg;base64,${base64Of(imageBytes.jpeg(3136, 784))}`;
      page.resultOf = ({ name }) => (name === 'read-image' ? { value } : undefined);
      const attached = { ...readyState, attachments: [image] };
      page.post({ type: 'state', state: attached });
      await page.until(() => page.requests().some(({ name }) => name === 'scale-image'));
      page.post({ type: 'state', state: { ...attached, isInBackground: true } });
      await page.drawn();
      const scaled = page.requests().filter(({ name }) => name === 'scale-image');
      const base64 = btoa('image/jpeg');
      assert.deepEqual(scaled, [{ name: 'scale-image', parameters: { attachment: 'a1', base64 } }]);
      assert.deepEqual(drawn, ['1568 × 392']);
      // The text beside the image names it.
      assert.equal(page.element('.chip canvas').getAttribute('aria-hidden'), 'true');
      assert.equal(page.buttons('Remove photo.jpg').length, 1);
    });

    it('say that an image is missing', async () => {
      decodeImages(page, 20, 10);
      const image = { ...chip, name: 'gone.png', image: 'b'.repeat(64) };
      page.post({ type: 'state', state: { ...readyState, attachments: [image] } });
      await page.until(() => page.all('.missing-image').length === 1);
      assert.equal(page.element('.missing-image').textContent, 'The image gone.png is missing.');
    });

    it('decode no image with too many pixels, or of unknown size', async () => {
      let decoded = 0;
      const count = (): Promise<never> => Promise.reject(new Error(String((decoded += 1))));
      Object.assign(page.window, { createImageBitmap: count });
      for (const [way, bytes] of [
        ['paste', imageBytes.png(20_000, 20_000)],
        ['drop', Uint8Array.from([0x42, 0x4d, 0, 0])],
      ] as const) {
        assert.ok(await bring(way, { files: [file(`${way}.png`, 'image/png', bytes)] }));
        const text = `${way}.png can't be read as an image`;
        await page.until(() => page.all('[role=alert]')[0]?.textContent.includes(text) === true);
      }
      assert.equal(decoded, 0);
      assert.deepEqual(page.requests(), []);
    });

    it('delay a message until its image is attached', async () => {
      decodeImages(page, 20, 10);
      await page.type(field, 'What is this?');
      assert.ok(await bring('paste', { files: [file('image.png', 'image/png')] }));
      await page.press(field, 'Enter');
      await page.until(() => page.requests().length === 2);
      assert.deepEqual(
        page.requests().map(({ name }) => name),
        ['attach-image', 'send'],
      );
    });

    it('paste the text of a table that comes with an image', async () => {
      const brought = { data: { 'text/plain': '1\t2' }, files: [file('image.png', 'image/png')] };
      assert.equal(await bring('paste', brought), false);
    });

    it('refuse other files, and images that cannot be shown', async () => {
      assert.ok(await bring('drop', { files: [file('a.zip', 'application/zip')] }));
      assert.match(page.element('[role=alert]').textContent, /a\.zip isn't a supported image/);
      Object.assign(page.window, { createImageBitmap: () => Promise.reject(new Error('no')) });
      assert.ok(await bring('paste', { files: [file('a.png', 'image/png')] }));
      await page.until(() => page.all('[role=alert]')[0]?.textContent.includes('a.png') === true);
      assert.match(page.element('[role=alert]').textContent, /a\.png can't be read as an image/);
      assert.deepEqual(page.requests(), []);
    });
  });
});
