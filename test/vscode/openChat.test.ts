import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { commands } from '../../src/host/contributions.ts';
import { ChatSearch, findJournalsIn } from '../../src/host/chat/chatSearch.ts';
import { findRipgrep, ripgrepAt } from '../../src/host/node/ripgrepRun.ts';
import { diskJournals } from '../support/diskJournals.ts';
import { cutJournal, cutsOf, searchedWords } from '../support/cutJournal.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** The next request, with all messages of the open chat. */
async function nextRequest(): Promise<string> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.commands.executeCommand(commands.showRequest, { asText: true });
  return vscode.window.activeTextEditor?.document.getText() ?? '';
}

async function ask(question: string): Promise<void> {
  await vscode.commands.executeCommand(commands.ask, question, { newChat: true });
}

/** Accepts an entry of the list, counted from 0, once it exists. */
async function acceptEntry(command: Thenable<unknown>, number: number): Promise<void> {
  const state = { done: false };
  const finished = Promise.resolve(command).finally(() => (state.done = true));
  while (!state.done) {
    await vscode.commands.executeCommand('workbench.action.focusQuickOpen');
    await vscode.commands.executeCommand('quickInput.first');
    for (let entry = 0; entry < number; entry++)
      await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  }
  await finished;
}

describe('aside.openChat, in the demo', () => {
  before(async () => {
    await vscode.commands.executeCommand(commands.useDemo);
  });

  it('opens a saved chat from the list, which the next message continues', async () => {
    await ask('What is a barometer?');
    await ask('What is a hygrometer?');
    assert.doesNotMatch(await nextRequest(), /barometer/);
    // Other tests' chats may be listed above it, such as pinned ones.
    for (let entry = 0; entry < 8; entry++) {
      await acceptEntry(vscode.commands.executeCommand(commands.openChat), entry);
      if ((await nextRequest()).includes('barometer')) return;
    }
    assert.fail('The chat was not opened.');
  });

  it('opens nothing for the id of no saved chat', async () => {
    await ask('What is an anemometer?');
    await vscode.commands.executeCommand(commands.openChat, '../leases');
    assert.match(await nextRequest(), /anemometer/);
  });
});

describe('the ripgrep of VS Code', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await TemporaryFolder.create();
  });
  after(() => folder.dispose());

  it('finds the same chats as without it, wherever their texts are split', async () => {
    const program = await findRipgrep(vscode.env.appRoot);
    assert.ok(program !== undefined);
    const journals = diskJournals(join(folder.path, 'chats'));
    const cutText = searchedWords.chain((words) =>
      fc.tuple(fc.constant(words), cutsOf(words.text)),
    );
    const samples = fc.sample(cutText, { numRuns: 25, seed: 7 });
    for (const [index, [, cut]] of samples.entries())
      await journals.append(`chat-${index}`, cutJournal(`chat-${index}`, cut));
    const ids = await journals.list();
    const onError = (what: string, error: unknown): void =>
      assert.fail(`${what}: ${String(error)}`);
    const options = { journals, onError };
    const find = findJournalsIn(journals.location, ripgrepAt(program));
    const chatsWith = async (search: ChatSearch, query: string): Promise<readonly string[]> => {
      const hits: string[] = [];
      const { signal } = new AbortController();
      await search.search(query, ids, ({ id }) => hits.push(id), signal);
      return hits.toSorted();
    };
    for (const [index, [{ query }]] of samples.entries()) {
      const hits = await chatsWith(
        new ChatSearch({ ...options, find: () => Promise.resolve(find) }),
        query,
      );
      assert.ok(hits.includes(`chat-${index}`), JSON.stringify(query));
      assert.deepEqual(
        hits,
        await chatsWith(new ChatSearch(options), query),
        JSON.stringify(query),
      );
    }
  });
});
