import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { dialogsWith } from '../support/dialogsWith.ts';
import {
  editorValues,
  PromptFiles,
  type PromptContent,
} from '../../src/host/editor/promptFiles.ts';
import { expandCommand, listCommands } from '../../src/host/editor/slashCommands.ts';
import { ManualClock } from '../support/manualClock.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

describe('prompt files', () => {
  const clock = new ManualClock();
  let temporary: TemporaryFolder;
  let workspace: string;
  let userFolder: string;
  let prompts: PromptFiles;

  before(async () => {
    temporary = await TemporaryFolder.create();
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root, 'There is no workspace.');
    workspace = join(root.uri.fsPath, '.github/prompts');
    userFolder = join(temporary.path, 'prompts');
    await Promise.all([workspace, userFolder].map((path) => mkdir(path, { recursive: true })));
    prompts = new PromptFiles(vscode.Uri.file(temporary.path), clock);
  });

  after(async () => {
    await rm(join(workspace, '..'), { recursive: true });
    await temporary.dispose();
  });

  const read = async (all: PromptFiles, wanted: string, isOwn = false): Promise<PromptContent> => {
    const file = (await all.list()).find(
      (candidate) => candidate.name === wanted && candidate.isOwn === isOwn,
    );
    assert.ok(file);
    return all.read(file);
  };

  it('are found in the workspace and in a folder of Aside', async () => {
    await writeFile(
      join(workspace, 'review.prompt.md'),
      '---\ndescription: "Looks at it"\nmode: agent\ntools: [run_command]\n---\nReview this.\n',
    );
    await writeFile(join(userFolder, 'review.prompt.md'), 'Mine.');
    await writeFile(join(workspace, 'notes.md'), 'No prompt.');
    const promptFiles = await prompts.list();
    assert.deepEqual(
      promptFiles.map(({ name }) => name),
      ['review', 'review'],
    );
    const review = promptFiles.find(({ isOwn }) => !isOwn);
    assert.equal(review?.description, 'Looks at it');
    assert.match(review.detail, /workspace/);
    assert.equal((await read(prompts, 'review')).text, 'Review this.');
    assert.equal((await read(prompts, 'review', true)).text, 'Mine.');
  });

  it('are searched again after a second', async () => {
    await writeFile(join(workspace, 'later.prompt.md'), 'Later, with \u202e hidden.');
    await clock.advance(1000);
    assert.equal((await read(prompts, 'later')).text, 'Later, with \\u{202e} hidden.');
  });

  it('exclude links in a repository, which may point anywhere', async () => {
    await writeFile(join(temporary.path, 'secret'), 'hidden');
    await symlink(join(temporary.path, 'secret'), join(workspace, 'link.prompt.md'));
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), clock);
    const promptFiles = await fresh.list();
    assert.ok(promptFiles.every(({ name }) => name !== 'link'));
  });

  it('are not read after a link has replaced them or their folder', async () => {
    const moved = join(workspace, '../moved');
    await writeFile(join(temporary.path, 'swapped.prompt.md'), 'hidden');
    await writeFile(join(workspace, 'swapped.prompt.md'), 'Open.');
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), clock);
    const swapped = (await fresh.list()).find(({ name }) => name === 'swapped');
    assert.ok(swapped);
    assert.equal((await fresh.read(swapped)).text, 'Open.');
    await rm(join(workspace, 'swapped.prompt.md'));
    await symlink(join(temporary.path, 'swapped.prompt.md'), join(workspace, 'swapped.prompt.md'));
    await assert.rejects(fresh.read(swapped), { name: 'UserError' });
    await rename(workspace, moved);
    await symlink(temporary.path, workspace);
    await assert.rejects(fresh.read(swapped), { name: 'UserError' });
    await rm(workspace);
    await rename(moved, workspace);
    await rm(join(workspace, 'swapped.prompt.md'));
  });

  it('report the problem of an empty one', async () => {
    await writeFile(join(userFolder, 'empty.prompt.md'), '---\ndescription: x\n---\n');
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), clock);
    await assert.rejects(read(fresh, 'empty', true), { name: 'UserError' });
  });

  it('ask before using the model of their front matter, with their whole text', async () => {
    const text = '---\nmodel: [large, other]\n---\nThink.\n';
    await writeFile(join(workspace, 'dear.prompt.md'), text);
    await writeFile(join(userFolder, 'mine.prompt.md'), text);
    const fresh = new PromptFiles(vscode.Uri.file(temporary.path), clock);
    const path = '.github/prompts/dear.prompt.md';
    assert.deepEqual(await read(fresh, 'dear'), {
      text: 'Think.',
      isEdit: false,
      offer: { path, text, isOwn: false, model: 'large' },
    });
    assert.equal((await read(fresh, 'mine', true)).offer?.isOwn, true);
    assert.equal((await read(fresh, 'review')).offer, undefined);
  });

  it('get code from the editor, with approval if it may contain secrets', async () => {
    const document = await vscode.workspace.openTextDocument({
      language: 'typescript',
      content: 'one();\ntwo();\nthree();\n',
    });
    const editor = await vscode.window.showTextDocument(document);
    const sentMessages: string[] = [];
    const answers: { maySend: boolean; typed: string | undefined } = {
      maySend: true,
      typed: 'Ann',
    };
    const titles: (string | undefined)[] = [];
    const values = editorValues(
      (_, text) => {
        sentMessages.push(text);
        return Promise.resolve(answers.maySend);
      },
      dialogsWith({
        prompt({ title, prompt, placeholder }) {
          titles.push(title, prompt, placeholder);
          return Promise.resolve(answers.typed);
        },
      }),
    );
    await assert.rejects(values.selection(), { name: 'UserError' });
    editor.selection = new vscode.Selection(1, 0, 1, 3);
    const { text, range, kind } = await values.selection();
    assert.deepEqual([text, range, kind], ['two();', { start: 2, end: 2 }, 'selection']);
    assert.equal((await values.file()).text, document.getText());
    assert.deepEqual(sentMessages, ['two();', document.getText()]);
    const who = { name: 'who', placeholder: 'A \u202e name' };
    assert.equal(await values.input(who, 'review', '1/2'), 'Ann');
    assert.deepEqual(titles, ['/review 1/2', 'who', 'A \\u{202e} name']);
    Object.assign(answers, { maySend: false, typed: undefined });
    await assert.rejects(values.file(), { name: 'UserError' });
    await assert.rejects(values.input(who, 'review', ''), { name: 'UserError' });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('become a message with the text after the name', async () => {
    const code = (): Promise<undefined> => Promise.resolve(undefined);
    const none = (): Promise<never> => Promise.reject(new Error('It has no variables.'));
    const variables = { selection: none, file: none, input: none };
    const acceptModel = (): Promise<undefined> => Promise.resolve(undefined);
    const skills = { read: () => Promise.resolve([]), attachmentOf: acceptModel };
    const needs = { prompts, skills, code, run: () => undefined, variables, acceptModel };
    const question = { text: '/review the tests', attachments: [] };
    assert.equal((await expandCommand(question, needs))?.message.text, 'Mine.\n\nthe tests');
    const ofWorkspace = (await listCommands(needs)).find(({ name }) => name.endsWith(':review'));
    const other = { text: `/${ofWorkspace?.name}`, attachments: [] };
    assert.equal((await expandCommand(other, needs))?.message.text, 'Review this.');
    const explain = { text: '/explain', attachments: [] };
    await assert.rejects(expandCommand(explain, needs), { name: 'UserError' });
  });
});
