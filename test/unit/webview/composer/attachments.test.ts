import assert from 'node:assert/strict';
import type { AttachmentChip } from '../../../../src/protocol/messages.ts';
import { PanelPage, readyState } from '../panel.ts';

const field = '[aria-label=Message]';
const chip: AttachmentChip = {
  id: 'a1',
  name: 'app.ts:3-9',
  path: 'src/app.ts',
  icon: 'file-code',
  tokens: 1234,
  state: 'attached',
};

interface Brought {
  readonly data?: Readonly<Record<string, string>>;
  readonly files?: readonly File[];
}

describe('what goes along', () => {
  let page: PanelPage;
  const open = async (...attachments: AttachmentChip[]): Promise<void> => {
    page = await PanelPage.open({ state: { ...readyState, attachments } });
  };
  afterEach(() => page.close());

  describe('as chips', () => {
    it('shows its tokens, is opened by its name and taken off by its button', async () => {
      await open(chip);
      assert.equal(page.one('.chip').textContent, 'app.ts:3-9≈1.2k');
      await page.click('app.ts:3-9≈1.2k');
      await page.click('Remove app.ts:3-9');
      assert.deepEqual(page.requests(), [
        { type: 'show-attachment', attachment: 'a1' },
        { type: 'remove-attachment', attachment: 'a1' },
      ]);
      assert.equal(page.window.document.activeElement, page.one(field));
    });

    it('is attached with one click where it is only offered', async () => {
      await open({ ...chip, state: 'offered' });
      assert.deepEqual(page.buttons('Remove app.ts:3-9'), []);
      await page.click('Attach app.ts:3-9');
      assert.deepEqual(page.requests(), [{ type: 'attach-offered', attachment: 'a1' }]);
    });

    it('says what was sent already, and what changed since', async () => {
      await open({ ...chip, state: 'unchanged' }, { ...chip, id: 'a2', state: 'changed' });
      assert.deepEqual(
        page.all('.chip-open').map((button) => button.textContent),
        ['app.ts:3-9already sent', 'app.ts:3-9≈1.2kchanged since'],
      );
    });

    it('tells instructions from what goes along once, and shows hidden characters', async () => {
      await open(
        { ...chip, id: 'i', name: 'AGENTS.md', icon: 'book', isInstructions: true },
        { ...chip, id: 'p', name: 'a\u202Egnp.exe' },
      );
      assert.equal(page.all('.chip .codicon-book').length, 1);
      assert.match(page.all('.chip-open')[0]?.title ?? '', /with every question/);
      assert.equal(page.buttons('Remove a\\u{202e}gnp.exe').length, 1);
    });

    it('is chosen in VS Code with the + button', async () => {
      await open();
      await page.click('Attach…');
      assert.deepEqual(page.requests(), [{ type: 'attach' }]);
      assert.equal(page.window.document.activeElement, page.one(field));
    });
  });

  describe('what it costs', () => {
    const cost = (): string =>
      page
        .all('.cost')
        .map((line) => line.textContent)
        .join();

    it('is in the foot, counted with what is typed and without a word to the host', async () => {
      await open();
      assert.equal(cost(), '≈100 tokens');
      await page.type(field, 'x'.repeat(400));
      assert.equal(cost(), '≈200 tokens');
      assert.deepEqual(page.requests(), []);
      assert.match(page.one('.cost').title, /With the next question ≈200 tokens/);
    });

    it('warns of more than the model takes', async () => {
      await open();
      const state = { ...readyState, cost: { tokens: 999, perCharacter: 1, contextWindow: 1000 } };
      page.post({ type: 'state', state });
      await page.type(field, 'Hello');
      assert.equal(cost(), '≈1k tokens · 100% of 1k');
      assert.equal(page.all('.cost.over .codicon-warning').length, 1);
    });

    it('is not said while nothing is connected', async () => {
      await open();
      page.post({ type: 'state', state: { ...readyState, connection: { kind: 'none' } } });
      await page.drawn();
      assert.equal(cost(), '');
    });
  });

  describe('from outside', () => {
    /** True when the page took it itself. */
    async function bring(type: string, brought: Brought, on = field): Promise<boolean> {
      const { data = {}, files = [] } = brought;
      const event = new page.window.Event(type, { bubbles: true, cancelable: true });
      const transfer = {
        types: [...Object.keys(data), ...(files.length > 0 ? ['Files'] : [])],
        getData: (kind: string) => data[kind] ?? '',
        files,
      };
      Object.assign(event, { dataTransfer: transfer, clipboardData: transfer });
      const isTaken = !page.one(on).dispatchEvent(event);
      await page.drawn();
      return isTaken;
    }

    const file = (name: string, type: string, size = 3): File =>
      new page.window.File([new page.window.Uint8Array(size)], name, { type });

    beforeEach(() => open());

    it('takes files that are dropped anywhere, as VS Code names them', async () => {
      const data = {
        'application/vnd.code.uri-list': 'file:///w/a.ts\r\nfile:///w/b%20c.ts',
        'text/uri-list': 'https://example.com',
      };
      assert.ok(await bring('dragover', { data }, '[role=log]'));
      assert.equal(page.one('.drop-place').textContent, 'Drop to attach');
      assert.ok(await bring('drop', { data }, '[role=log]'));
      assert.deepEqual(page.requests(), [
        { type: 'attach-addresses', addresses: ['file:///w/a.ts', 'file:///w/b%20c.ts'] },
      ]);
      assert.equal(page.all('.drop-place').length, 0);
      assert.equal(page.window.document.activeElement, page.one(field));
    });

    it('leaves words and links to the page', async () => {
      assert.equal(await bring('dragover', { data: { 'text/plain': '/w/a.ts' } }), false);
      const link = { 'text/uri-list': '# a link\nhttps://example.com/a' };
      assert.equal(await bring('drop', { data: link }), false);
      assert.equal(await bring('paste', { data: { 'text/plain': 'see /w/a.ts' } }), false);
      assert.deepEqual(page.requests(), []);
    });

    it('refuses more files than one would want', async () => {
      const data = { 'text/uri-list': 'file:///w/a.ts\n'.repeat(101) };
      assert.ok(await bring('drop', { data }));
      assert.deepEqual(page.requests(), []);
      assert.match(page.one('[role=alert]').textContent, /100 files/);
    });

    it('attaches a path that is pasted', async () => {
      assert.ok(await bring('paste', { data: { 'text/plain': '/w/src/a.ts\n' } }));
      assert.deepEqual(page.requests(), [{ type: 'attach-addresses', addresses: ['/w/src/a.ts'] }]);
      assert.equal(Reflect.get(page.one(field), 'value'), '');
    });

    it('pastes the words where there is no such file', async () => {
      page.refusal = 'There is no such file.';
      await page.type(field, 'GET ');
      assert.ok(await bring('paste', { data: { 'text/plain': '/api/v1' } }));
      assert.equal(Reflect.get(page.one(field), 'value'), 'GET /api/v1');
    });

    it('attaches a picture that is pasted or dropped', async () => {
      assert.ok(await bring('paste', { files: [file('image.png', 'image/png')] }));
      assert.ok(await bring('drop', { files: [file('photo.jpg', 'image/jpeg')] }));
      await page.until(() => page.requests().length === 2);
      assert.deepEqual(page.requests(), [
        { type: 'attach-image', name: 'image.png', mime: 'image/png', base64: 'AAAA' },
        { type: 'attach-image', name: 'photo.jpg', mime: 'image/jpeg', base64: 'AAAA' },
      ]);
    });

    it('pastes the words of a table that brings its picture along', async () => {
      const brought = { data: { 'text/plain': '1\t2' }, files: [file('image.png', 'image/png')] };
      assert.equal(await bring('paste', brought), false);
    });

    it('refuses other files and pictures that are too large, with words', async () => {
      assert.ok(await bring('drop', { files: [file('a.zip', 'application/zip')] }));
      assert.match(page.one('[role=alert]').textContent, /a\.zip is not a picture/);
      assert.ok(await bring('paste', { files: [file('a.png', 'image/png', 5_000_001)] }));
      assert.match(page.one('[role=alert]').textContent, /5 MB/);
      assert.deepEqual(page.requests(), []);
    });
  });
});
