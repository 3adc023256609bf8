import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Call, CompletionItem } from '../../../../src/protocol/rpc.ts';
import { triggerWordAt } from '../../../../src/webview/composer/completionList.tsx';
import { PanelPage } from '../panel.ts';

/** Finds the word at the cursor, whose position is marked by a bar. */
function find(marked: string): string | undefined {
  const cursor = marked.indexOf('|');
  const word = triggerWordAt(marked.replace('|', ''), cursor);
  return word && `${word.trigger} ${word.query} ${word.start}`;
}

describe('triggerWordAt', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['@|', '@  0'],
    ['see @te|', '@ te 4'],
    ['see @src/te|mp.ts', '@ src/te 4'],
    ['line\n@a|', '@ a 5'],
    ['(@a|', '@ a 1'],
    ['me@example.com|', undefined],
    ['@a b|', undefined],
    ['@@|', undefined],
    ['see @chat |', '@ chat  4'],
    ['see @Chat will it|rain', '@ Chat will it 4'],
    ['@chatter a|', undefined],
    ['@chat a\nb|', undefined],
    ['@chat a @|', '@  8'],
    ['|@a', undefined],
    ['/|', '/  0'],
    ['/exp|', '/ exp 0'],
    ['/explain |', undefined],
    ['/explain @a|', '@ a 9'],
    ['/etc/ho|', undefined],
    [' /exp|', undefined],
    ['see /exp|', undefined],
  ];
  for (const [marked, expected] of cases) {
    it(`finds ${expected ?? 'nothing'} in ${JSON.stringify(marked)}`, () =>
      assert.equal(find(marked), expected));
  }

  it('returns the text between the trigger and the cursor', () => {
    const piece = fc.constantFrom('@', '/', 'a', ' ', '\n', '(', 'ä', '😀');
    fc.assert(
      fc.property(fc.array(piece), fc.nat(), (pieces, number) => {
        const text = pieces.join('');
        const cursor = number % (text.length + 1);
        const word = triggerWordAt(text, cursor);
        if (word === undefined) return;
        assert.equal(text.slice(word.start, word.end), word.trigger + word.query);
        assert.equal(word.end, cursor);
        assert.doesNotMatch(word.query, /\s/);
      }),
    );
  });

  it('ignores a word that is too long to be a name', () => {
    assert.equal(triggerWordAt(`@${'a'.repeat(600)}`, 601), undefined);
    assert.equal(triggerWordAt(`/${'a'.repeat(600)}`, 601), undefined);
  });
});

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

describe('the list above the composer', () => {
  let page: PanelPage;
  const complete = (): Call[] => page.requests().filter(({ name }) => name === 'complete');
  const labels = (): string[] => page.texts('[role=option] .cut-name');
  const active = (): string | undefined => {
    const id = page.element(field).getAttribute('aria-activedescendant');
    return id === null ? undefined : page.element(`#${id} .cut-name`).textContent;
  };
  const value = (): unknown => page.valueOf(field);

  async function answer(items: readonly CompletionItem[], mayGrow = false): Promise<void> {
    await page.answer('complete', { items, mayGrow });
  }

  async function offer(text: string, items = files): Promise<void> {
    page.element(field).focus();
    await page.type(field, text);
    await answer(items);
  }

  beforeEach(async () => {
    page = await PanelPage.open();
  });

  it('is a list box that the field controls, with the first item active', async () => {
    await offer('see @te');
    assert.deepEqual(complete(), [{ name: 'complete', parameters: { trigger: '@', query: 'te' } }]);
    const list = page.element('[role=listbox]');
    assert.equal(page.element(field).hasAttribute('aria-expanded'), false, 'A text box has none.');
    assert.equal(page.element(field).getAttribute('aria-controls'), list.id);
    assert.deepEqual(labels(), ['temperature.ts', 'temperature.test.ts', '@selection']);
    assert.equal(active(), 'temperature.ts');
    assert.equal(page.element('[aria-selected=true]').id, 'completion-0');
    assert.equal(page.activeElement, page.element(field));
  });

  it('is restored when the field lost focus briefly, unless it was closed before', async () => {
    await offer('see @te');
    const lists = (): number => page.all('[role=listbox]').length;
    const leaveAndComeBack = async (): Promise<void> => {
      page.element(field).blur();
      await page.drawn();
      assert.equal(lists(), 0);
      page.element(field).focus();
      await answer(files);
    };
    await leaveAndComeBack();
    assert.equal(lists(), 1);
    assert.equal(active(), 'temperature.ts');
    await page.press(field, 'Escape');
    await leaveAndComeBack();
    assert.equal(lists(), 0);
  });

  it('closes when no chat has the words after @chat, and opens again when one has', async () => {
    await offer('see @chat rain', [{ id: 'chat 1', label: 'Rain', icon: 'comment-discussion' }]);
    assert.deepEqual(labels(), ['Rain']);
    await page.type(field, 'see @chat rain is');
    await answer([]);
    assert.equal(page.all('.completions').length, 0);
    await page.type(field, 'see @chat rain');
    await answer([{ id: 'chat 1', label: 'Rain', icon: 'comment-discussion' }]);
    await page.press(field, 'Enter');
    assert.equal(value(), 'see ');
  });

  it('moves up and down, and wraps around', async () => {
    await offer('@');
    for (const label of ['temperature.test.ts', '@selection', 'temperature.ts']) {
      await page.press(field, 'ArrowDown');
      assert.equal(active(), label);
    }
    await page.press(field, 'ArrowUp');
    assert.equal(active(), '@selection');
  });

  for (const key of ['Enter', 'Tab']) {
    it(`attaches with ${key}, and removes the word`, async () => {
      await offer('see @te');
      await page.press(field, 'ArrowDown');
      await page.press(field, key);
      assert.deepEqual(page.requests().slice(1), [
        { name: 'choose-completion', parameters: { id: 'file:b' } },
      ]);
      assert.equal(value(), 'see ');
      assert.equal(page.all('[role=listbox]').length, 0);
      await offer('see @');
      assert.equal(labels().length, 3);
    });
  }

  it('attaches what matches the whole word when Enter is pressed before its list is there', async () => {
    await offer('@te');
    await page.type(field, '@test');
    await page.press(field, 'Enter');
    assert.equal(value(), '@test');
    await answer(files.slice(1));
    const chosen = page.requests().filter(({ name }) => name === 'choose-completion');
    assert.deepEqual(chosen, [{ name: 'choose-completion', parameters: { id: 'file:b' } }]);
    assert.equal(value(), '');
  });

  it('attaches nothing by itself when more is typed after Enter', async () => {
    await offer('@te');
    await page.type(field, '@test');
    await page.press(field, 'Enter');
    await page.type(field, '@test.');
    await answer(files);
    await answer(files);
    assert.equal(value(), '@test.');
    assert.equal(labels().length, 3);
  });

  it('attaches a selected item of a list that is about to change', async () => {
    await offer('@te');
    await page.type(field, '@test');
    await page.press(field, 'ArrowDown');
    await page.press(field, 'ArrowDown');
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), {
      name: 'choose-completion',
      parameters: { id: 'fixed:selection' },
    });
  });

  it('attaches with a click, which leaves the cursor in the field', async () => {
    await offer('@te');
    const row = page.element('#completion-1');
    const press = new page.window.MouseEvent('mousedown', { bubbles: true, cancelable: true });
    assert.equal(row.dispatchEvent(press), false);
    row.click();
    await page.drawn();
    assert.deepEqual(page.requests().at(-1), {
      name: 'choose-completion',
      parameters: { id: 'file:b' },
    });
    assert.equal(value(), '');
    assert.equal(page.activeElement, page.element(field));
  });

  it('leaves one of the two spaces around the word', async () => {
    await page.type(field, 'see @te now');
    page.window.document.querySelector('textarea')?.setSelectionRange(7, 7);
    page.element(field).dispatchEvent(new page.window.Event('input', { bubbles: true }));
    await answer(files);
    await page.press(field, 'Enter');
    assert.equal(value(), 'see now');
  });

  it('writes a command at the start of the message', async () => {
    await offer('/ex', commands);
    await page.press(field, 'Enter');
    assert.equal(value(), '/explain ');
    const chosen = { name: 'choose-completion', parameters: { id: 'explain' } };
    assert.deepEqual(page.requests().at(-1), chosen, 'a skill attaches itself');
  });

  it('sends a message that matches no command, and runs an action only when it is selected', async () => {
    await offer('/ex', commands.slice(1));
    assert.equal(active(), undefined);
    await page.press(field, 'ArrowDown');
    assert.equal(active(), 'Open Folder');
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), {
      name: 'choose-completion',
      parameters: { id: 'prompts' },
    });
    assert.equal(value(), '/ex');
    await page.type(field, '');
    await page.type(field, '/exx');
    await answer(commands.slice(1));
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), { name: 'send', parameters: { text: '/exx' } });
  });

  it('closes with Escape, which is not propagated, and stays closed for this word', async () => {
    await offer('see @te');
    let heard = 0;
    page.window.document.addEventListener('keydown', () => heard++);
    await page.press(field, 'Escape');
    assert.equal(page.all('[role=listbox]').length, 0);
    assert.equal(heard, 0);
    await page.type(field, 'see @tem');
    assert.equal(complete().length, 1);
    await page.type(field, 'see @tem @');
    assert.equal(complete().length, 2);
    await answer(files);
    await page.press(field, 'Escape');
    await page.click('Send');
    await page.type(field, '@');
    assert.equal(complete().length, 3);
  });

  it('sends one request at a time, and then only the newest', async () => {
    for (const text of ['@t', '@te', '@tem', '@temp']) await page.type(field, text);
    assert.deepEqual(complete(), [{ name: 'complete', parameters: { trigger: '@', query: 't' } }]);
    await answer(files);
    assert.deepEqual(labels(), [], 'An answer to another word was shown.');
    assert.deepEqual(complete().slice(1), [
      { name: 'complete', parameters: { trigger: '@', query: 'temp' } },
    ]);
    await answer(files);
    assert.equal(labels().length, 3);
  });

  it('keeps the active item when a longer list for the same word arrives', async () => {
    page.element(field).focus();
    await page.type(field, '@te');
    await answer(files, true);
    await page.press(field, 'ArrowDown');
    const items = [{ id: 'new', label: 'temp', icon: 'file' }, ...files];
    await page.answer('more-completions', { items, mayGrow: true });
    assert.equal(active(), 'temperature.test.ts');
    assert.equal(labels().length, 4);
    await page.answer('more-completions', { items: files, mayGrow: false });
    assert.equal(labels().length, 3);
    assert.equal(page.calls().filter(({ name }) => name === 'more-completions').length, 2);
  });

  it('drops a longer list for a word that is no longer at the cursor', async () => {
    page.element(field).focus();
    await page.type(field, '@te');
    await answer(files, true);
    await page.type(field, '@tem');
    await page.answer('more-completions', { items: [], mayGrow: true });
    assert.equal(labels().length, 3);
    await answer(files.slice(1));
    assert.equal(labels().length, 2);
  });

  it('closes when the word ends, when the focus leaves, and when the message is sent', async () => {
    await offer('@te');
    await page.type(field, '@te ');
    assert.equal(page.all('[role=listbox]').length, 0);
    await offer('@te');
    page.button('Configure').focus();
    await page.drawn();
    assert.equal(page.all('[role=listbox]').length, 0);
    await offer('@te');
    await page.click('Send');
    assert.equal(page.all('[role=listbox]').length, 0);
    await page.type(field, '@te');
    await page.click('Send');
    await answer(files);
    assert.equal(page.all('[role=listbox]').length, 0);
  });

  it('says when nothing is found, and lets Enter send', async () => {
    await offer('@zz', []);
    assert.match(page.element('.completions').textContent, /No matching results/);
    await page.press(field, 'Enter');
    assert.deepEqual(page.requests().at(-1), { name: 'send', parameters: { text: '@zz' } });
  });

  it('shows hidden characters and the icon', async () => {
    await offer('@', [{ id: 'x', label: 'a\u202Egnp.ts', detail: 'b\u200B', icon: 'folder' }]);
    assert.equal(page.element('[role=option]').textContent, 'a\\u{202e}gnp.tsb\\u{200b}');
    assert.equal(page.all('[role=option] .codicon-folder').length, 1);
  });
});
