import assert from 'node:assert/strict';
import type { CompletionItem, ViewRequest } from '../../../../src/protocol/messages.ts';
import { PanelPage } from '../panel.ts';

const field = '[aria-label=Message]';

const files: readonly CompletionItem[] = [
  { id: 'file:a', label: 'temperature.ts', detail: 'src', icon: 'file' },
  { id: 'file:b', label: 'temperature.test.ts', detail: 'test', icon: 'file' },
  { id: 'fixed:selection', label: '@selection', icon: 'list-selection' },
];
const commands: readonly CompletionItem[] = [
  { id: 'explain', label: '/explain', detail: 'Explain', icon: 'book', insert: '/explain' },
  { id: 'prompts', label: 'Open Folder', icon: 'folder', isAction: true },
];

describe('the list over the composer', () => {
  let page: PanelPage;
  const complete = (): ViewRequest[] =>
    page.requests().filter((request) => request.type === 'complete');
  const labels = (): string[] => page.all('[role=option] .cut-name').map((row) => row.textContent);
  const active = (): string | undefined => {
    const id = page.one(field).getAttribute('aria-activedescendant');
    return id === null ? undefined : page.one(`#${id} .cut-name`).textContent;
  };
  const value = (): unknown => Reflect.get(page.one(field), 'value');

  async function answer(
    query: string,
    items: readonly CompletionItem[],
    trigger: '@' | '/' = '@',
  ): Promise<void> {
    page.post({ type: 'completions', trigger, query, items });
    await page.drawn();
  }

  async function offer(text: string, query: string, items = files): Promise<void> {
    page.one(field).focus();
    await page.type(field, text);
    await answer(query, items, text.startsWith('/') ? '/' : '@');
  }

  beforeEach(async () => {
    page = await PanelPage.open();
  });
  it('asks nothing of the host while there is nothing to complete', async () => {
    await page.type(field, 'a');
    await page.type(field, 'a b@c');
    await page.press(field, 'ArrowLeft');
    assert.deepEqual(new Set(page.posted.map(({ type }) => type)), new Set(['ready', 'draft']));
  });

  it('is a list box that the field names, with the first item active', async () => {
    await offer('see @te', 'te');
    assert.deepEqual(complete(), [{ type: 'complete', trigger: '@', query: 'te' }]);
    const list = page.one('[role=listbox]');
    assert.equal(page.one(field).hasAttribute('aria-expanded'), false, 'A text box has none.');
    assert.equal(page.one(field).getAttribute('aria-controls'), list.id);
    assert.deepEqual(labels(), ['temperature.ts', 'temperature.test.ts', '@selection']);
    assert.equal(active(), 'temperature.ts');
    assert.equal(page.one('[aria-selected=true]').id, 'completion-0');
    assert.equal(page.window.document.activeElement, page.one(field));
  });

  it('is there again when the field lost the focus for a moment, unless it was closed before', async () => {
    await offer('see @te', 'te');
    const lists = (): number => page.all('[role=listbox]').length;
    const leaveAndComeBack = async (): Promise<void> => {
      page.one(field).blur();
      await page.drawn();
      assert.equal(lists(), 0);
      page.one(field).focus();
      await answer('te', files);
    };
    await leaveAndComeBack();
    assert.equal(lists(), 1);
    assert.equal(active(), 'temperature.ts');
    await page.press(field, 'Escape');
    await leaveAndComeBack();
    assert.equal(lists(), 0);
  });

  it('moves up and down, and wraps around', async () => {
    await offer('@', '');
    for (const label of ['temperature.test.ts', '@selection', 'temperature.ts']) {
      await page.press(field, 'ArrowDown');
      assert.equal(active(), label);
    }
    await page.press(field, 'ArrowUp');
    assert.equal(active(), '@selection');
  });

  for (const key of ['Enter', 'Tab']) {
    it(`attaches with ${key}, and removes the word`, async () => {
      await offer('see @te', 'te');
      await page.press(field, 'ArrowDown');
      await page.press(field, key);
      assert.deepEqual(page.requests().slice(1), [{ type: 'choose-completion', id: 'file:b' }]);
      assert.equal(value(), 'see ');
      assert.equal(page.all('[role=listbox]').length, 0);
      await offer('see @', '');
      assert.equal(labels().length, 3);
    });
  }

  it('attaches with a click, which leaves the cursor in the field', async () => {
    await offer('@te', 'te');
    const row = page.one('#completion-1');
    const press = new page.window.MouseEvent('mousedown', { bubbles: true, cancelable: true });
    assert.equal(row.dispatchEvent(press), false);
    row.click();
    await page.drawn();
    assert.deepEqual(page.requests().at(-1), { type: 'choose-completion', id: 'file:b' });
    assert.equal(value(), '');
    assert.equal(page.window.document.activeElement, page.one(field));
  });

  it('leaves one of the two spaces around the word', async () => {
    page.one(field).focus();
    await page.type(field, 'see @te now');
    page.window.document.querySelector('textarea')?.setSelectionRange(7, 7);
    page.one(field).dispatchEvent(new page.window.Event('input', { bubbles: true }));
    await answer('te', files);
    await page.press(field, 'Enter');
    assert.equal(value(), 'see now');
    assert.equal(Reflect.get(page.one(field), 'selectionStart'), 4);
  });

  it('writes a command at the start of the message', async () => {
    await offer('/ex', 'ex', commands);
    await page.press(field, 'Enter');
    assert.equal(value(), '/explain ');
    assert.deepEqual(complete(), page.requests());
  });

  it('sends a message that matches no command, and runs an action only when it is selected', async () => {
    await offer('/ex', 'ex', commands.slice(1));
    assert.equal(active(), undefined);
    await page.press(field, 'ArrowDown');
    assert.equal(active(), 'Open Folder');
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), { type: 'choose-completion', id: 'prompts' });
    assert.equal(value(), '/ex');
    await page.type(field, '');
    await page.type(field, '/exx');
    await answer('exx', commands.slice(1), '/');
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), { type: 'send', text: '/exx' });
  });

  it('closes with Escape, which is not propagated, and stays closed for this word', async () => {
    await offer('see @te', 'te');
    let heard = 0;
    page.window.document.addEventListener('keydown', () => heard++);
    await page.press(field, 'Escape');
    assert.equal(page.all('[role=listbox]').length, 0);
    assert.equal(heard, 0);
    await page.type(field, 'see @tem');
    assert.equal(complete().length, 1);
    await page.type(field, 'see @tem @');
    assert.equal(complete().length, 2);
    await page.press(field, 'Escape');
    await page.click('Send');
    await page.type(field, '@');
    assert.equal(complete().length, 3);
  });

  it('sends one request at a time, and then only the newest', async () => {
    const held: number[] = [];
    page.hold = (id) => held.push(id);
    for (const text of ['@t', '@te', '@tem', '@temp']) await page.type(field, text);
    assert.deepEqual(complete(), [{ type: 'complete', trigger: '@', query: 't' }]);
    await answer('t', files);
    assert.deepEqual(labels(), [], 'An answer to another word was shown.');
    page.post({ type: 'settled', id: held[0] ?? 0 });
    await page.drawn();
    assert.deepEqual(complete().slice(1), [{ type: 'complete', trigger: '@', query: 'temp' }]);
    await answer('tem', files);
    assert.deepEqual(labels(), []);
    await answer('temp', files);
    assert.equal(labels().length, 3);
  });

  it('keeps the active item when a later result for the same word arrives', async () => {
    await offer('@te', 'te');
    await page.press(field, 'ArrowDown');
    await answer('te', [{ id: 'new', label: 'temp', icon: 'file' }, ...files]);
    assert.equal(active(), 'temperature.test.ts');
  });

  it('closes when the word ends, when the focus goes, and when the message is sent', async () => {
    await offer('@te', 'te');
    await page.type(field, '@te ');
    assert.equal(page.all('[role=listbox]').length, 0);
    await offer('@te', 'te');
    page.button('Options').focus();
    await page.drawn();
    assert.equal(page.all('[role=listbox]').length, 0);
    await offer('@te', 'te');
    await page.click('Send');
    assert.equal(page.all('[role=listbox]').length, 0);
    await answer('te', files);
    assert.equal(page.all('[role=listbox]').length, 0);
  });

  it('says when nothing is found, and lets Enter send', async () => {
    await offer('@zz', 'zz', []);
    assert.match(page.one('.completions').textContent, /No matching results/);
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), { type: 'send', text: '@zz' });
  });

  it('shows hidden characters and the icon', async () => {
    await offer('@', '', [{ id: 'x', label: 'a\u202Egnp.ts', detail: 'b\u200B', icon: 'folder' }]);
    assert.equal(page.one('[role=option]').textContent, 'a\\u{202e}gnp.tsb\\u{200b}');
    assert.equal(page.all('[role=option] .codicon-folder').length, 1);
  });
});
