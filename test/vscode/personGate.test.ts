import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { PersonGate } from '../../src/host/approval/personGate.ts';
import { UserError } from '../../src/host/platform/errors.ts';
import { thisMachine } from '../../src/host/node/thisMachine.ts';
import { unnamedDocument } from '../../src/host/review/review.ts';
import { answerLater } from './support/answerLater.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** Edits that a click alone allows, that need a dialog, and that nobody can allow. */
const cases: readonly {
  readonly name: string;
  readonly uri: (places: Places) => vscode.Uri;
  readonly expected: 'runs' | 'asks' | 'refuses';
}[] = [
  { name: 'a file', uri: ({ inside }) => inside('a.ts'), expected: 'runs' },
  {
    name: 'a new file that is not saved',
    uri: ({ inside }) => untitled(inside('new.ts')),
    expected: 'runs',
  },
  { name: 'a document without a name', uri: () => unnamedDocument, expected: 'runs' },
  { name: 'scripts of a package', uri: ({ inside }) => inside('package.json'), expected: 'asks' },
  { name: 'a protected name', uri: ({ inside }) => untitled(inside('Makefile')), expected: 'asks' },
  { name: 'a link out', uri: ({ inside }) => inside('out/b.ts'), expected: 'asks' },
  { name: 'a file outside', uri: ({ outside }) => outside('b.ts'), expected: 'asks' },
  { name: 'keys', uri: () => vscode.Uri.file(join(homedir(), '.ssh/config')), expected: 'refuses' },
  {
    name: 'a part of Git',
    uri: ({ inside }) => inside('a.ts').with({ scheme: 'git' }),
    expected: 'refuses',
  },
];

interface Places {
  readonly inside: (path: string) => vscode.Uri;
  readonly outside: (path: string) => vscode.Uri;
}

function untitled(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: 'untitled' });
}

describe('an edit that the person decided on', () => {
  const { showWarningMessage } = vscode.window;
  let temporary: TemporaryFolder;
  let places: Places;
  let questionCount: number;
  /** How often the diff of a dialog was closed. */
  let closed: number;
  let answer: string;

  before(async () => {
    temporary = await TemporaryFolder.create();
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root, 'There is no workspace.');
    const folder = join(root.uri.fsPath, 'personGate');
    places = {
      inside: (path) => vscode.Uri.file(join(folder, path)),
      outside: (path) => vscode.Uri.file(join(temporary.path, path)),
    };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'a.ts'), '');
    await writeFile(join(temporary.path, 'b.ts'), '');
    await symlink(temporary.path, join(folder, 'out'));
  });

  after(async () => {
    Object.assign(vscode.window, { showWarningMessage });
    await rm(places.inside('.').fsPath, { recursive: true });
    await temporary.dispose();
  });

  beforeEach(() => {
    questionCount = 0;
    closed = 0;
    Object.assign(vscode.window, {
      showWarningMessage: (_message: string, _options: object, ...buttons: string[]) => {
        questionCount++;
        return answerLater(buttons.find((button) => button === answer));
      },
    });
  });

  /** Resolves with true if the edit ran. */
  async function pass(uri: vscode.Uri, after: string, isCurrent = true): Promise<boolean> {
    const { globalStorageUri, logUri } = {
      globalStorageUri: vscode.Uri.file('/user/User/globalStorage/aside-chat.aside'),
      logUri: vscode.Uri.file('/user/logs'),
    };
    const gate = new PersonGate({
      context: { globalStorageUri, logUri, storageUri: undefined },
      machine: thisMachine(),
      diff: {
        show: () => Promise.resolve(),
        close: () => {
          closed++;
          return Promise.resolve();
        },
      },
      documents: { show: () => assert.fail('Nothing is too long.') },
      onError: (error) => assert.fail(String(error)),
    });
    let runs = 0;
    const edit = { uri, before: '', after, isCurrent: () => isCurrent };
    const isDone = await gate.pass(edit, () => {
      runs++;
      return Promise.resolve();
    });
    assert.equal(runs, isDone ? 1 : 0);
    return isDone;
  }

  for (const { name, uri, expected } of cases) {
    it(`${expected} for ${name}`, async () => {
      answer = 'Deny';
      const denied = await pass(uri(places), 'const a = 1;\n').catch((error: unknown) => error);
      assert.equal(questionCount, expected === 'asks' ? 1 : 0);
      assert.equal(closed, questionCount);
      if (expected === 'refuses') assert.ok(denied instanceof UserError);
      else assert.equal(denied, expected === 'runs');
      answer = 'Allow Once';
      if (expected === 'asks') assert.equal(await pass(uri(places), 'const a = 1;\n'), true);
    });
  }

  it('does not run if its text has changed', async () => {
    await assert.rejects(pass(places.inside('a.ts'), 'a', false), UserError);
  });
});
