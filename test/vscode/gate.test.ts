import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/core/support/event.ts';
import { ToolError } from '../../src/core/support/toolError.ts';
import type { ToolContext } from '../../src/core/tools/tool.ts';
import type { Target } from '../../src/core/files/places.ts';
import { createWindowGate, type WindowGate } from '../../src/host/approval/windowGate.ts';
import { thisMachine } from '../../src/host/node/thisMachine.ts';
import { analysis, openNotebook, putNotebook, showNotebook, uriOf } from './support/notebooks.ts';

const denied = (error: unknown): boolean =>
  error instanceof ToolError && error.outcome === 'denied';

/** VS Code refuses every dialog during tests, so every question is a denial. */
describe('the gate in VS Code', () => {
  const stored = new Map<string, unknown>();
  const chatEnds = new Emitter<string>();
  const storage = vscode.Uri.file('/user/User/globalStorage/aside-chat.aside');
  let open: WindowGate | undefined;
  let errors: unknown[] = [];
  let questionCount = 0;

  beforeEach(() => {
    errors = [];
    questionCount = 0;
    open = createWindowGate({
      context: {
        globalStorageUri: storage,
        storageUri: undefined,
        logUri: vscode.Uri.file('/logs'),
      },
      state: {
        keys: () => [...stored.keys()],
        get: (key) => stored.get(key),
        update: (key, value) => Promise.resolve(void stored.set(key, value)),
      },
      machine: thisMachine(),
      version: '1.2.3',
      diff: { show: () => Promise.resolve(), close: () => Promise.resolve() },
      documents: { show: () => Promise.reject(new Error('Nothing is shown.')) },
      onDidEndChat: chatEnds.event,
      onDidChangeService: () => ({ dispose: () => undefined }),
      nameOf: () => '',
      askAll: () => false,
      tainted: () => false,
      onError: (error) => errors.push(error),
    });
  });

  afterEach(() => open?.dispose());

  function context(): ToolContext {
    const { signal } = new AbortController();
    return {
      conversation: 'chat',
      turn: 't',
      call: 'c',
      signal,
      print: () => undefined,
      requestApproval: (_, answer) => {
        questionCount += 1;
        return answer(signal);
      },
      runsUnder: () => undefined,
    };
  }

  async function read(path: string): Promise<Target> {
    assert.ok(open);
    return open.gate.read(path, context(), ({ value }) => Promise.resolve(value));
  }

  it('resolves files of the workspace, and their kinds', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const [file] = await vscode.workspace.findFiles('**/*', undefined, 1);
    assert.ok(file);
    const relative = await read(vscode.workspace.asRelativePath(file));
    const whole = await read(file.fsPath);
    const address = await read(file.toString());
    assert.equal(relative.inside, true);
    assert.equal(relative.kind, 'file');
    assert.deepEqual(whole.location, relative.location);
    assert.deepEqual(address.location, relative.location);
    assert.equal(whole.label, vscode.workspace.asRelativePath(file));
    assert.equal((await read('.')).kind, 'folder');
    assert.equal(questionCount, 0);
  });

  it('asks about files outside the workspace, and treats a refused dialog as a denial', async () => {
    await assert.rejects(read('../'), denied);
    assert.equal(questionCount, 1);
  });

  it('denies Aside’s storage without asking', async () => {
    await assert.rejects(read('/user/User/settings.json'), denied);
    await assert.rejects(read('/logs/aside.log'), denied);
    assert.equal(questionCount, 0);
  });

  it('asks before it opens a file of data that holds an address, unless it is open', async () => {
    assert.ok(open);
    const { gate } = open;
    const show = (path: string): Promise<void> =>
      gate.open(path, 'editor', context(), () => Promise.resolve());
    const file = uriOf('opened.json');
    const schema = '{ "$schema": "file://nowhere.invalid/schema.json" }';
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(schema));
    await assert.rejects(show('opened.json'), denied);
    assert.equal(questionCount, 1);
    await read('opened.json');
    await vscode.workspace.openTextDocument(file);
    await show('opened.json');
    assert.equal(questionCount, 1);
  });

  it('asks before it shows a notebook, unless it is visible', async () => {
    assert.ok(open);
    const { gate } = open;
    const show = (path: string): Promise<void> =>
      gate.open(path, 'editor', context(), () => Promise.resolve());
    const path = await putNotebook(analysis);
    await read(path);
    await openNotebook(path);
    await assert.rejects(show(path), denied);
    assert.equal(questionCount, 1);
    await showNotebook(path, 0);
    await show(path);
    assert.equal(questionCount, 1);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('waits for the panel at an edit, and follows its decision', async () => {
    assert.ok(open);
    const { gate, decisions, grants } = open;
    const change = {
      kind: 'edit',
      path: 'src/temperature.ts',
      before: 'old',
      after: 'text',
      isCurrent: () => Promise.resolve(true),
    } as const;
    const { signal, ...others } = context();
    const ask: ToolContext['requestApproval'] = (_, answer) => {
      const answered = answer(signal);
      assert.equal(decisions.changesOf('t', 'c')?.[0]?.path, 'src/temperature.ts');
      assert.equal(decisions.decide('t', 'c', 'chat'), true);
      return answered;
    };
    const label = await gate.edit(
      [change],
      { ...others, signal, requestApproval: ask },
      ({ value }) => Promise.resolve(value[0]?.target.label),
    );
    assert.equal(label, 'src/temperature.ts');
    const [grant] = await grants.list();
    assert.equal(grant && grants.describe(grant), 'This chat can edit unprotected files');
    chatEnds.fire('another');
    assert.equal((await grants.list()).length, 1);
    chatEnds.fire('chat');
    assert.deepEqual(await grants.list(), []);
    assert.deepEqual(errors, []);
  });
});
