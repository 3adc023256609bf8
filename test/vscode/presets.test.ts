import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { dialogsWith } from '../support/dialogsWith.ts';
import type { ChosenPreset } from '../../src/core/conversation/conversation.ts';
import { PresetActions } from '../../src/host/context/chatPreset.ts';
import { Presets } from '../../src/host/context/presets.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const reviewer =
  '---\nname: Reviewer\nmodel: large\ntools: [read_file, fetch]\ntemperature: 0.2\n---\nBe strict.\n';

describe('presets', () => {
  let temporary: TemporaryFolder;
  let workspace: string;
  let userFolder: string;
  let presets: Presets;
  let consents: unknown[];
  let answer: boolean | undefined;

  before(async () => {
    temporary = await TemporaryFolder.create();
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root, 'There is no workspace.');
    workspace = join(root.uri.fsPath, '.github/agents');
    userFolder = join(temporary.path, 'agents');
    await Promise.all([workspace, userFolder].map((path) => mkdir(path, { recursive: true })));
    await writeFile(join(workspace, 'review.agent.md'), reviewer);
    await writeFile(join(userFolder, 'mine.agent.md'), 'Mine. sk-mine');
  });

  after(async () => {
    await rm(join(workspace, '..'), { recursive: true });
    await temporary.dispose();
  });

  beforeEach(() => {
    consents = [];
    answer = true;
    presets = new Presets(
      vscode.Uri.file(temporary.path),
      {
        known: ({ isOwn, model }) => Promise.resolve(isOwn ? { model } : undefined),
        accept(offer) {
          consents.push([offer.path, offer.model, offer.options]);
          return Promise.resolve(answer === true ? { model: offer.model } : undefined);
        },
      },
      () => Promise.resolve('here'),
      (text) => text.replaceAll('sk-mine', '‹key›'),
    );
  });
  afterEach(() => presets.dispose());

  const path = '.github/agents/review.agent.md';
  const chosen: ChosenPreset = {
    isOwn: false,
    workspace: 'here',
    path,
    name: 'Reviewer',
    text: reviewer,
    instead: 'small',
  };
  const names = async (): Promise<readonly string[]> =>
    (await presets.list()).map(({ name }) => name);

  it('are found in the workspace and in a folder of Aside, and not behind links', async () => {
    const secret = join(temporary.path, 'secret');
    await writeFile(secret, 'hidden');
    await symlink(secret, join(workspace, 'linked.agent.md'));
    await writeFile(join(workspace, 'open.agent.md'), '---\nname: x\n');
    assert.deepEqual(await names(), ['Reviewer', 'mine']);
    const [first, second] = await presets.list();
    assert.deepEqual([first?.path, second?.path], [path, 'mine.agent.md']);
    await rm(join(workspace, 'linked.agent.md'));
    await rm(join(workspace, 'open.agent.md'));
  });

  it('send their instructions without keys, if they have any', async () => {
    await presets.refresh(chosen, 'small');
    assert.deepEqual(presets.instructions(chosen), [{ path, text: 'Be strict.' }]);
    const mine = { ...chosen, isOwn: true, workspace: '', path: 'mine.agent.md' };
    assert.deepEqual(presets.instructions(mine), []);
    await presets.refresh(mine, 'small');
    assert.deepEqual(presets.instructions(mine), [{ path: mine.path, text: 'Mine. ‹key›' }]);
  });

  it('apply only accepted choices, and ask again for another text', async () => {
    assert.equal((await presets.refresh(chosen, 'small'))?.body, 'Be strict.');
    assert.deepEqual(presets.accepted(chosen), {});
    assert.equal(await presets.accept(chosen, 'small'), true);
    assert.deepEqual(consents, [[path, 'large', { temperature: 0.2 }]]);
    assert.deepEqual(presets.accepted(chosen), { model: 'large' });
    await writeFile(join(workspace, 'review.agent.md'), reviewer.replace('0.2', '1.2'));
    await presets.refresh(chosen, 'small');
    assert.deepEqual(presets.accepted(chosen), {});
    answer = undefined;
    assert.equal(await presets.accept(chosen, 'small'), false);
    assert.deepEqual(presets.accepted(chosen), {});
    await writeFile(join(workspace, 'review.agent.md'), reviewer);
  });

  it('offer no model if another one was selected since', async () => {
    await presets.accept(chosen, 'tiny');
    assert.deepEqual(consents, [[path, undefined, { temperature: 0.2 }]]);
  });

  it('are ignored in an untrusted workspace', async () => {
    await presets.refresh(chosen, 'small');
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
    Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, value: false });
    try {
      assert.equal(presets.current(chosen), undefined);
      assert.deepEqual(presets.accepted(chosen), {});
      assert.equal(await presets.refresh(chosen, 'small'), undefined);
      assert.deepEqual(await names(), ['mine']);
    } finally {
      if (trusted !== undefined) Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
  });

  it('are not found in another workspace, except personal ones', async () => {
    const elsewhere = { ...chosen, workspace: 'elsewhere' };
    assert.equal(await presets.refresh(elsewhere, 'small'), undefined);
    await presets.refresh(chosen, 'small');
    assert.equal(presets.current(elsewhere), undefined);
    assert.deepEqual(presets.instructions(elsewhere), []);
    const mine = { ...chosen, isOwn: true, workspace: '', path: 'mine.agent.md' };
    assert.equal((await presets.refresh(mine, 'small'))?.name, 'mine');
  });

  it('are only files of these folders, whatever a chat contains', async () => {
    for (const other of ['../../secret', '/etc/passwd', '.github/agents/../../.env']) {
      for (const isOwn of [true, false])
        assert.equal(await presets.refresh({ ...chosen, path: other, isOwn }, 'small'), undefined);
    }
  });

  it('are chosen in a list, which reports missing tools, and can be removed', async () => {
    const set: (ChosenPreset | undefined)[] = [];
    const diffs: string[] = [];
    let label = 'Reviewer';
    const actions = new PresetActions({
      chat: {
        get conversation() {
          return { preset: set.at(-1) };
        },
        setPreset(preset) {
          set.push(preset);
        },
        mode: 'agent',
        setMode: () => undefined,
      },
      presets,
      selectedModel: () => 'small',
      dialogs: dialogsWith({
        confirm: () => Promise.resolve(false),
        pick: (choices) => Promise.resolve(choices.find((choice) => choice.label === label)?.value),
        showInformation: (message) => void diffs.push(message),
      }),
      toolNames: () => Promise.resolve(['read_file', 'edit_file']),
      openFolder: () => Promise.reject(new Error('It was opened.')),
      showChanges: (...diffArguments) =>
        Promise.resolve(void diffs.push(diffArguments.join(' | '))),
    });
    answer = undefined;
    await actions.choose();
    assert.equal(set.length, 0);
    answer = true;
    await actions.choose();
    assert.deepEqual(set, [chosen]);
    assert.match(diffs.join(), /fetch/);
    assert.doesNotMatch(diffs.join(), /read_file/);
    const changed = reviewer.replace('strict', 'kind');
    await writeFile(join(workspace, 'review.agent.md'), changed);
    await presets.refresh(chosen, 'small');
    await actions.show();
    assert.equal(diffs.at(-1), [path, reviewer, changed].join(' | '));
    assert.equal(set.at(-1)?.text, changed);
    label = 'No Preset';
    await actions.choose();
    assert.equal(set.length, 3);
    assert.equal(set.at(-1), undefined);
    await writeFile(join(workspace, 'review.agent.md'), reviewer);
  });
});
