import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { PromptFiles } from '../../src/host/code/promptFiles.ts';
import { expandCommand } from '../../src/host/code/slashCommands.ts';
import { ManualClock } from '../support/manualClock.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

describe('prompt files', () => {
  const clock = new ManualClock();
  let temporary: TemporaryFolder;
  let workspace: string;
  let own: string;
  let prompts: PromptFiles;

  before(async () => {
    temporary = await TemporaryFolder.create();
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root, 'There is no workspace.');
    workspace = join(root.uri.fsPath, '.github/prompts');
    own = join(temporary.path, 'prompts');
    await Promise.all([workspace, own].map((path) => mkdir(path, { recursive: true })));
    prompts = new PromptFiles(vscode.Uri.file(temporary.path), ['fix'], clock);
  });

  after(async () => {
    await rm(join(workspace, '..'), { recursive: true });
    await temporary.dispose();
  });

  const names = async (): Promise<readonly string[]> =>
    (await prompts.list()).map(({ name }) => name);

  it('are found in the workspace and in a folder of Aside, the first with a name of theirs', async () => {
    await writeFile(
      join(workspace, 'review.prompt.md'),
      '---\ndescription: "Looks at it"\nmode: agent\ntools: [run_command]\n---\nReview this.\n',
    );
    await writeFile(join(own, 'review.prompt.md'), 'Mine.');
    await writeFile(join(own, 'fix.prompt.md'), 'Not the command.');
    await writeFile(join(workspace, 'notes.md'), 'No prompt.');
    const found = await prompts.list();
    assert.deepEqual([...(await names())].sort(), ['own:fix', 'own:review', 'review']);
    const review = found.find(({ name }) => name === 'review');
    assert.equal(review?.description, 'Looks at it');
    assert.match(review.detail, /workspace/);
    assert.equal((await prompts.read('review'))?.text, 'Review this.');
    assert.equal((await prompts.read('own:review'))?.text, 'Mine.');
    assert.equal(await prompts.read('nothing'), undefined);
  });

  it('are looked for again a second later', async () => {
    await writeFile(join(workspace, 'later.prompt.md'), 'Later, with \u202e hidden.');
    await clock.advance(1000);
    assert.equal((await prompts.read('later'))?.text, 'Later, with \\u{202e} hidden.');
  });

  it('are no links of a repository, which may lead to anything', async () => {
    await writeFile(join(temporary.path, 'secret'), 'hidden');
    await symlink(join(temporary.path, 'secret'), join(workspace, 'link.prompt.md'));
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), [], clock);
    const found = await fresh.list();
    assert.ok(found.every(({ name }) => name !== 'link'));
  });

  it('are not read through a link that took the place of one, or of its folder, since', async () => {
    const moved = join(workspace, '../moved');
    await writeFile(join(temporary.path, 'swapped.prompt.md'), 'hidden');
    await writeFile(join(workspace, 'swapped.prompt.md'), 'Open.');
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), [], clock);
    assert.equal((await fresh.read('swapped'))?.text, 'Open.');
    await rm(join(workspace, 'swapped.prompt.md'));
    await symlink(join(temporary.path, 'swapped.prompt.md'), join(workspace, 'swapped.prompt.md'));
    await assert.rejects(fresh.read('swapped'), { name: 'UserError' });
    await rename(workspace, moved);
    await symlink(temporary.path, workspace);
    await assert.rejects(fresh.read('swapped'), { name: 'UserError' });
    await rm(workspace);
    await rename(moved, workspace);
    await rm(join(workspace, 'swapped.prompt.md'));
  });

  it('say what is wrong with one that asks nothing', async () => {
    await writeFile(join(own, 'empty.prompt.md'), '---\ndescription: x\n---\n');
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), [], clock);
    await assert.rejects(fresh.read('empty'), { name: 'UserError' });
  });

  it('become a question with the words after the name', async () => {
    const code = (): Promise<undefined> => Promise.resolve(undefined);
    const needs = { prompts, code, run: () => undefined };
    const question = { text: '/review the tests', attachments: [] };
    assert.equal((await expandCommand(question, needs))?.text, 'Review this.\n\nthe tests');
    const explain = { text: '/explain', attachments: [] };
    await assert.rejects(expandCommand(explain, needs), { name: 'UserError' });
  });
});
