import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../../../../src/host/errors.ts';
import { foreignChat, type Assistant } from '../../../support/foreignChats.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { KeptRig, uriOf } from './keptRig.ts';

/** Folder in which each assistant stores its chats. */
const folders: Readonly<Record<Assistant, string>> = {
  Continue: 'home/.continue/sessions',
  Cline: 'User/globalStorage/saoudrizwan.claude-dev/tasks',
  'Roo Code': 'User/globalStorage/rooveterinaryinc.roo-cline/tasks',
  'VS Code': 'User/workspaceStorage/0a1b/chatSessions',
  'VS Code log': 'User/globalStorage/emptyWindowChatSessions',
};

const count = 24;

describe('chats of other assistants', () => {
  let folder: TemporaryFolder;
  let rig: KeptRig;

  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    rig = new KeptRig(folder.path);
  });
  afterEach(async () => {
    rig.dispose();
    await folder.dispose();
  });

  async function write(path: string, text: string): Promise<void> {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  async function writeAll(assistant: Assistant): Promise<void> {
    for (let seed = 0; seed < count; seed += 1)
      for (const [name, text] of Object.entries(foreignChat(assistant, seed).files))
        await write(`${folders[assistant]}/${name}`, text);
  }

  /** Resolves with the reported problems, one per line. */
  async function importAll(argument?: unknown): Promise<readonly string[]> {
    try {
      await rig.commands.importAll(argument);
      return [];
    } catch (error) {
      assert.ok(error instanceof Error && error.name === UserError.name, String(error));
      return error.message.split('\n');
    }
  }

  const saved = async (): Promise<readonly string[]> => rig.storage.list();

  for (const assistant of ['Continue', 'Cline', 'Roo Code', 'VS Code', 'VS Code log'] as const)
    it(`are found, imported or reported in one line, and not imported twice: ${assistant}`, async () => {
      await writeAll(assistant);
      // Continue's list of sessions isn't a session.
      if (assistant === 'Continue') await write(`${folders.Continue}/sessions.json`, '[{}]');
      rig.answers.pick = 0;
      const problems = await importAll();
      const ids = await saved();
      assert.equal(ids.length + problems.length, count, problems.join('\n'));
      assert.ok(ids.length >= count / 2 && problems.length > 2);
      for (const line of problems) assert.match(line, /^[\w/.-]+ (?:is damaged|has no messages)/);
      assert.equal(rig.messages.at(-1), `Imported ${ids.length} chats.`);
      assert.deepEqual(await importAll(), problems);
      assert.deepEqual(await saved(), ids);
    });

  it('come from the visible messages if the other file of a task is damaged', async () => {
    const task = `${folders.Cline}/1`;
    await write(`${task}/api_conversation_history.json`, '[{');
    await write(`${task}/ui_messages.json`, '[{"ts":1,"type":"say","say":"text","text":"Fix it"}]');
    rig.answers.pick = 0;
    assert.deepEqual(await importAll(), []);
    const [id = ''] = await saved();
    const { turns } = await rig.saved(id);
    assert.equal(turns[0]?.question.text, 'Fix it');
    assert.equal(rig.messages.at(-1), 'Imported 1 chat.');
  });

  it('come from any folder, including that of one task', async () => {
    await write(
      'mine/a.json',
      '{"sessionId":"s","history":[{"message":{"role":"user","content":"A"}}]}',
    );
    await write('mine/b/ui_messages.json', '[{"type":"say","say":"task","text":"B"}]');
    await write('mine/notes.txt', 'no chat');
    assert.deepEqual(await importAll(uriOf(join(folder.path, 'mine'))), []);
    assert.equal((await saved()).length, 2);
    assert.deepEqual(await importAll(uriOf(join(folder.path, 'mine/b'))), []);
    assert.equal((await saved()).length, 2);
    assert.equal(rig.messages.at(-1), 'There are no new chats to import.');
  });

  it('have no keys, are untrusted, and are imported again once they were deleted', async () => {
    const text = '{"sessionId":"s","history":[{"message":{"role":"user","content":"my sesame"}}]}';
    await write('mine/a.json', text);
    const mine = uriOf(join(folder.path, 'mine'));
    await importAll(mine);
    const [id = ''] = await saved();
    const chat = await rig.saved(id);
    assert.equal(chat.turns[0]?.question.text, 'my KEY');
    assert.deepEqual(chat.importedUsage, {});
    rig.answers.confirm = true;
    await rig.commands.delete(id);
    assert.deepEqual(await saved(), []);
    await importAll(mine);
    assert.equal((await saved()).length, 1);
  });

  it('are all exported to a folder, and imported from it once', async () => {
    for (const id of ['one', 'two', 'three']) await rig.save(id, `Why ${id}?`);
    const out = join(folder.path, 'out');
    await mkdir(out);
    await rig.commands.exportAll(uriOf(out));
    assert.equal((await readdir(out)).length, 3);
    assert.equal(rig.messages.at(-1), 'Exported 3 chats to out.');
    await writeFile(join(out, 'damaged.json'), '{"format":"aside-chat","version":1');
    const problems = await importAll(uriOf(out));
    assert.deepEqual(problems, ['out/damaged.json is damaged, or no chat.']);
    assert.equal((await saved()).length, 6);
    await importAll(uriOf(out));
    assert.equal((await saved()).length, 6);
  });

  it('report only the first problems of many', async () => {
    for (let at = 0; at < 30; at += 1) await write(`many/${at}.json`, '{');
    const problems = await importAll(uriOf(join(folder.path, 'many')));
    assert.equal(problems.length, 21);
    assert.equal(problems.at(-1), "More files that can't be imported: 10");
  });

  it('are missing if no folder is chosen', async () => {
    rig.answers.pick = 0;
    assert.deepEqual(await importAll(), []);
    assert.deepEqual(rig.messages, []);
    await assert.rejects(rig.commands.exportAll(undefined), /no saved chats/);
  });
});
