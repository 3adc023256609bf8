import assert from 'node:assert/strict';
import type { CompletionChoice } from '../../../../src/host/attachments/completionProvider.ts';
import type { FileSearch } from '../../../../src/core/files/fileSearch.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';
import type { CompletionItem } from '../../../../src/protocol/rpc.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** A workspace with one folder and no events of a file watcher. */
const { CompletionChoices, CompletionProvider, WorkspaceIndex } = await withFakeVsCode(
  `
  const uri = { scheme: 'file', authority: '', path: '/w' };
  const nothing = { dispose() {} };
  const on = () => nothing;
  export const l10n = { t: (text) => text };
  export const Disposable = { from: () => nothing };
  export const Uri = { from: (one) => one, joinPath: (one) => one };
  export class ThemeIcon {}
  export class TabInputText {}
  export const SymbolKind = {};
  export const commands = { executeCommand: () => Promise.resolve([]) };
  export const window = { tabGroups: { all: [] } };
  export const workspace = {
    workspaceFolders: [{ name: 'w', uri }],
    getWorkspaceFolder: () => ({ uri }),
    getConfiguration: () => ({ get: () => ({}) }),
    createFileSystemWatcher: () => ({ ...nothing, onDidCreate: on, onDidDelete: on }),
    onDidChangeWorkspaceFolders: on,
    onDidChangeConfiguration: on,
  };`,
  async () => ({
    ...(await import('../../../../src/host/attachments/completionProvider.ts')),
    ...(await import('../../../../src/host/platform/workspaceIndex.ts')),
  }),
);

/** A disk and its index. A listing has the files of its start, and ends when the test says so. */
class Rig {
  readonly disk = new Set(['app.ts', 'src/environment.ts']);
  readonly #running: (() => void)[] = [];
  begun = 0;
  renewals = 0;
  readonly clock = new ManualClock();
  readonly index: InstanceType<typeof WorkspaceIndex>;
  readonly completions: InstanceType<typeof CompletionProvider>;

  constructor() {
    const search: FileSearch = {
      files: (_scope, onFile) => {
        this.begun += 1;
        const files = [...this.disk];
        return new Promise((resolve) => {
          this.#running.push(() => {
            for (const file of files) onFile(file);
            resolve();
          });
        });
      },
      lines: () => Promise.resolve(),
      linesOf: () => Promise.resolve([]),
    };
    this.index = new WorkspaceIndex(() =>
      Promise.resolve({ searchAt: () => search, unlisted: () => nothingLeftOut }),
    );
    const attach = (): Promise<void> => Promise.resolve();
    this.completions = new CompletionProvider({
      index: this.index,
      attach,
      editorContext: {
        attachSelection: attach,
        attachProblems: attach,
        attachChanges: attach,
        attachTerminal: attach,
        attachOpenEditors: attach,
      },
      earlierChats: {
        renew: () => (this.renewals += 1),
        choices: (words) => Promise.resolve(words === 'snow' ? [] : [offer(`chat of ${words}`)]),
        pick: attach,
      },
      prompts: () =>
        Promise.resolve([
          { name: 'fix', description: 'Fixes.' },
          { name: 'notes', description: 'Writes.', hint: '[month]', skill: 'notes/SKILL.md' },
        ]),
      choosePreset: () => Promise.resolve(),
      attachSkill: attach,
      openPrompts: attach,
      clock: this.clock,
    });
  }

  /** A rig whose files have been listed once. */
  static async openListed(): Promise<Rig> {
    const rig = new Rig();
    const first = rig.complete('');
    await rig.finishListings();
    await first;
    return rig;
  }

  /** Ends the running listings, and those that start after them. */
  async finishListings(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await new Promise(setImmediate);
      this.endRunning();
    }
    await new Promise(setImmediate);
  }

  /** Ends the running listings. */
  endRunning(): void {
    for (const end of this.#running.splice(0)) end();
  }

  /** The first and the last list of files for a query. */
  async complete(query: string): Promise<readonly [string[], string[]]> {
    const { items } = await this.completions.complete('@', query);
    const updatedLists = this.longer();
    await this.finishListings();
    return [namesOf(items), namesOf((await updatedLists).at(-1) ?? items)];
  }

  /** The updated lists of the last query. */
  async longer(): Promise<readonly (readonly CompletionItem[])[]> {
    const more = await this.completions.more();
    return more === undefined ? [] : [more.items, ...(await this.longer())];
  }
}

const namesOf = (items: readonly CompletionItem[]): string[] => items.map(({ id }) => id);

describe('the file completions after @', () => {
  it('are those on the disk when the word starts, even without an event', async () => {
    const rig = await Rig.openListed();
    for (const [name, word] of [
      ['.env', ['.env']],
      ['calendar.ts', ['', 'c', 'ca', 'cal']],
      ['new/file.ts', ['f', 'fi', 'file']],
      ['file2.ts', ['file2', 'file2.ts']],
    ] as const) {
      rig.disk.add(name);
      let last: readonly string[] = [];
      for (const query of word) [, last] = await rig.complete(query);
      assert.ok(last.includes(name), `${name} in ${last.join()}`);
    }
  });

  it('can be chosen while the lists of earlier letters arrive', async () => {
    const rig = await Rig.openListed();
    rig.disk.add('apple.ts');
    const queries = ['', 'a', 'ap', 'app', 'app.', 'app.t'];
    const lists = [];
    const longer = [];
    for (const query of queries) {
      lists.push(await rig.completions.complete('@', query));
      longer.push(rig.longer());
    }
    const firstItem = lists.at(-1)?.items[0]?.id;
    assert.equal(firstItem, 'app.ts');
    await rig.finishListings();
    await Promise.all(longer);
    await rig.completions.choose(firstItem);
  });

  it('are those on the disk after a pause within a word', async () => {
    const rig = await Rig.openListed();
    rig.disk.add('.env');
    await rig.clock.advance(2000);
    const [, last] = await rig.complete('.');
    assert.ok(last.includes('.env'));
  });
});

describe('the completions after @chat', () => {
  const idsOf = async (rig: Rig, query: string): Promise<readonly string[]> =>
    namesOf((await rig.completions.complete('@', query)).items);

  it('are the list of chats, then chats before files, then those with the words', async () => {
    const rig = await Rig.openListed();
    rig.disk.add('chat.ts');
    await rig.complete('c');
    assert.ok((await idsOf(rig, 'Ch')).includes('@chat…'));
    const [, all] = await rig.complete('chat');
    assert.deepEqual(all, ['chat of ', '@chat…', 'chat.ts']);
    assert.deepEqual(await idsOf(rig, 'Chat '), ['chat of ']);
    assert.deepEqual(await idsOf(rig, 'chat rain to'), ['chat of rain to']);
    assert.deepEqual(await idsOf(rig, 'chat snow'), []);
    assert.equal(await rig.completions.more(), undefined);
    await rig.completions.choose('chat of rain to');
  });

  it('are read again at the start of a word only', async () => {
    const rig = await Rig.openListed();
    const before = rig.renewals;
    for (const query of ['c', 'ch', 'cha', 'chat', 'chat ', 'chat r']) await idsOf(rig, query);
    assert.equal(rig.renewals, before);
    await idsOf(rig, '');
    assert.equal(rig.renewals, before + 1);
  });
});

function offer(id: string): CompletionChoice {
  return { item: { id, label: id, icon: 'file' }, choose: () => Promise.resolve() };
}

describe('the commands after /', () => {
  it('have what can be typed after them before their description', async () => {
    const { completions } = await Rig.openListed();
    const { items } = await completions.complete('/', '');
    const details = items.map(({ label, detail }) => [label, detail]);
    assert.deepEqual(details.slice(0, 2), [
      ['fix', 'Fixes.'],
      ['notes', '[month] · Writes.'],
    ]);
  });
});

describe('CompletionChoices', () => {
  it('finds offered items, including those of the previous list', () => {
    const offers = new CompletionChoices();
    assert.deepEqual(offers.register([offer('a')]), [{ id: 'a', label: 'a', icon: 'file' }]);
    offers.register([offer('b')]);
    assert.equal(offers.find('a')?.item.id, 'a');
    assert.equal(offers.find('b')?.item.id, 'b');
  });

  it('finds no item that was not offered, and forgets old ones', () => {
    const offers = new CompletionChoices();
    assert.equal(offers.find('/etc/passwd'), undefined);
    offers.register([offer('old')]);
    for (let index = 0; index < 4; index++) offers.register([offer(`new ${index}`)]);
    assert.equal(offers.find('old'), undefined);
  });
});
