import assert from 'node:assert/strict';
import { Emitter, type Event } from '../../../../src/core/support/event.ts';
import type {
  ChatHistoryOptions,
  ChosenChat,
  DeletedEntry,
} from '../../../../src/host/chat/chatHistory.ts';
import type { FoundChat } from '../../../../src/host/chat/chatSearch.ts';
import type { SavedChat } from '../../../../src/host/chat/chatHeads.ts';
import { chatOf, MemoryJournals } from './memoryJournals.ts';
import { until } from '../../../support/until.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const vscode = `
export class ThemeIcon {}
export const QuickPickItemKind = { Separator: -1 };
export const env = { language: 'en' };
export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d)\\}/g, (all, at) => given[at] ?? all) };
export const window = { createQuickPick: () => globalThis.quickPickOfTest };
`;

const { ChatHistory, ChatPick } = await withFakeVsCode(
  vscode,
  () => import('../../../../src/host/chat/chatHistory.ts'),
);

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** A quick pick that the test controls. */
class FakeQuickPick {
  readonly #events = new Map<string, Emitter<undefined>>();
  value = '';
  title = '';
  items: readonly Item[] = [];
  activeItems: readonly Item[] = [];
  selectedItems: readonly Item[] = [];
  buttons: readonly { readonly tooltip: string }[] = [];
  busy = false;

  readonly onDidChangeValue = this.#event('value');
  readonly onDidTriggerButton = this.#event('button');
  readonly onDidTriggerItemButton = this.#event('item');
  readonly onDidAccept = this.#event('accept');
  readonly onDidHide = this.#event('hide');

  get labels(): readonly string[] {
    return this.items.map(({ label }) => label);
  }

  show(): void {
    this.title ||= 'shown';
  }

  hide(): void {
    this.do('hide');
  }

  dispose(): void {
    this.items = [];
  }

  do(what: string): void {
    this.#events.get(what)?.fire(undefined);
  }

  type(text: string): void {
    this.value = text;
    this.do('value');
  }

  accept(label: string): void {
    this.selectedItems = this.items.filter((item) => item.label === label);
    assert.equal(this.selectedItems.length, 1, label);
    this.do('accept');
  }

  #event(name: string): Event<undefined> {
    const emitter = new Emitter<undefined>();
    this.#events.set(name, emitter);
    return emitter.event;
  }
}

/** A search that the test ends. */
interface RunningSearch {
  readonly query: string;
  readonly ids: readonly string[];
  readonly onMatch: (chat: FoundChat) => void;
  readonly signal: AbortSignal;
  readonly end: () => void;
}

function chat(id: string, title: string, workspace = 'file:///here', size = 1000): SavedChat {
  return { id, title, workspace, size, model: 'demo/m', at: 0, pinned: false };
}

const showAll = '$(globe) Show Chats of All Workspaces';

describe('the list of saved chats', () => {
  let pick: FakeQuickPick;
  let searches: RunningSearch[];
  let chosen: Promise<ChosenChat | DeletedEntry | undefined>;

  async function open(chats: readonly SavedChat[], pickOptions: Partial<ChatHistoryOptions> = {}) {
    pick = new FakeQuickPick();
    Reflect.set(globalThis, 'quickPickOfTest', pick);
    searches = [];
    const list = new ChatPick({
      chats: { read: () => Promise.resolve(chats) },
      search: {
        search: (query, ids, onMatch, signal) =>
          new Promise((end) => searches.push({ query, ids, onMatch, signal, end })),
      },
      workspace: 'file:///here',
      machine: '',
      journals: new MemoryJournals(),
      opening: { isRunning: () => false, show: () => assert.fail() },
      onError: (what) => assert.fail(what),
      ...pickOptions,
    });
    chosen = list.show();
    await until(() => !pick.busy);
  }

  afterEach(() => {
    pick.hide();
    Reflect.deleteProperty(globalThis, 'quickPickOfTest');
  });

  it('has the chats of this workspace, and the others after a click, separately', async () => {
    await open([chat('a', 'Here'), chat('b', 'There', 'file:///my%20boats'), chat('c', 'Too')]);
    assert.deepEqual(pick.labels, ['Here', 'Too', showAll]);
    assert.match(pick.items[0]?.description ?? '', /^.+ ago · demo\/m · here$/);
    pick.do('button');
    const all = ['this workspace', 'Here', 'Too', 'other workspaces', 'There'];
    assert.deepEqual(pick.labels, all);
    assert.match(pick.items[4]?.description ?? '', / · my boats$/);
    pick.do('button');
    pick.accept(showAll);
    assert.deepEqual(pick.labels, all);
  });

  it('marks running chats, and takes no icon from a title', async () => {
    const chats = [chat('a', 'Use $(trash) here'), chat('b', '')];
    await open(chats, { opening: { isRunning: (id) => id === 'a', show: () => assert.fail() } });
    assert.deepEqual(pick.labels, ['$(loading~spin) Use $ (trash) here', 'Untitled Chat']);
    assert.match(pick.items[0]?.description ?? '', /^running · /);
  });

  it('shows matching titles immediately, and matching chats as they are found', async () => {
    await open([chat('a', 'Wind and rain'), chat('b', 'Sun'), chat('c', 'Snow')]);
    pick.type('RAIN');
    assert.deepEqual(pick.labels, ['Wind and rain']);
    assert.ok(pick.busy);
    const [search] = searches;
    assert.deepEqual(search?.ids, ['a', 'b', 'c']);
    search.onMatch({ id: 'c', turn: 't7', line: 'It may rain $(x) too.' });
    assert.deepEqual(pick.labels, ['Wind and rain', 'Snow']);
    assert.equal(pick.items[1]?.detail, 'It may rain $ (x) too.');
    search.end();
    await until(() => !pick.busy);
    pick.accept('Snow');
    assert.deepEqual(await chosen, { id: 'c', hit: { turn: 't7', query: 'RAIN' } });
  });

  it('keeps the chat active that the person moved to, while others are found', async () => {
    await open([chat('a', 'One'), chat('b', 'Two x'), chat('c', 'Three x')]);
    pick.type('x');
    pick.activeItems = pick.items.slice(1);
    searches[0]?.onMatch({ id: 'a', turn: 't', line: 'x' });
    assert.deepEqual(
      pick.activeItems.map(({ label }) => label),
      ['Three x'],
    );
  });

  it('has deleted chats below the others, and restores one', async () => {
    const deleted: DeletedEntry[] = ['Old rain', 'Old sun'].map((title) => ({
      title,
      at: 0,
      restore: () => Promise.resolve(),
    }));
    await open([chat('a', 'Rain')], { deleted: () => Promise.resolve(deleted) });
    assert.deepEqual(pick.labels, ['Rain', 'deleted', '$(trash) Old rain', '$(trash) Old sun']);
    pick.type('rain');
    assert.deepEqual(pick.labels, ['Rain', 'deleted', '$(trash) Old rain']);
    pick.accept('$(trash) Old rain');
    assert.equal(await chosen, deleted[0]);
  });

  it('ends the previous search with each keystroke, and when it is closed', async () => {
    await open([chat('a', 'One'), chat('b', 'Two')]);
    for (const text of ['x', 'xy', 'xyz']) pick.type(text);
    assert.deepEqual(
      searches.map(({ query, signal }) => [query, signal.aborted]),
      [
        ['x', true],
        ['xy', true],
        ['xyz', false],
      ],
    );
    pick.type('');
    assert.ok(searches.every(({ signal }) => signal.aborted));
    assert.ok(!pick.busy);
    assert.deepEqual(pick.labels, ['One', 'Two']);
    pick.type('z');
    pick.hide();
    assert.equal(searches.at(-1)?.signal.aborted, true);
    assert.equal(await chosen, undefined);
  });
});

describe('the history of chats', () => {
  const here = 'file:///here';

  function create(chats: readonly SavedChat[], journals = new MemoryJournals()) {
    const opened: unknown[] = [];
    const history = new ChatHistory({
      chats: { read: () => Promise.resolve(chats) },
      search: { search: () => assert.fail() },
      journals,
      opening: {
        show: (...shown) => Promise.resolve(void opened.push(shown)),
        isRunning: (id) => id === 'running',
      },
      workspace: here,
      machine: '',
      onError: (what) => assert.fail(what),
    });
    return { history, opened };
  }

  it('offers the three latest chats, those of this workspace before others', async () => {
    const chats = [
      { ...chat('old', 'Old'), at: 1, pinned: true },
      { ...chat('new', 'New'), at: 5 },
      { ...chat('untitled', ''), at: 10 },
      ...[7, 8, 9].map((at) => ({ ...chat(`e${at}`, `Else ${at}`, ''), at })),
    ];
    assert.deepEqual(await create(chats).history.recent(), [
      { id: 'new', title: 'New', at: 5 },
      { id: 'old', title: 'Old', at: 1 },
      { id: 'e9', title: 'Else 9', at: 9 },
    ]);
    assert.deepEqual(await create([]).history.recent(), []);
    const listed = await create(chats).history.list();
    assert.deepEqual(
      listed.map(({ id, title }) => `${id}: ${title}`),
      ['untitled: Untitled Chat', 'new: New', 'old: Old', 'e9: Else 9', 'e8: Else 8', 'e7: Else 7'],
    );
    const [elsewhere] = await create([chat('a', 'A', 'file:///weather')]).history.list();
    assert.match(elsewhere?.detail ?? '', / · weather$/);
    assert.doesNotMatch(listed[0]?.detail ?? ' · ', / · /);
  });

  it('opens a chat by its id, and nothing that is not saved', async () => {
    const journals = new MemoryJournals();
    journals.write('a', chatOf('a', 'Why?'));
    const { history, opened } = create([], journals);
    await history.open('a');
    assert.deepEqual(opened, [['a']]);
    for (const id of ['', 'b', '../a', 'a/'])
      await assert.rejects(history.open(id), /^UserError: This chat is no longer saved/, id);
    assert.equal(opened.length, 1);
    await history.open('running');
    assert.equal(opened.length, 2, 'it may be that nothing could be saved yet');
  });
});
