import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { dialogsWith } from '../support/dialogsWith.ts';
import { attachedImageOf } from '../../src/core/conversation/attachedImage.ts';
import type { Attachment } from '../../src/core/conversation/conversation.ts';
import { nothingLeftOut } from '../support/nothingLeftOut.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { AttachmentApproval } from '../../src/host/context/attachmentApproval.ts';
import { AttachmentResolver } from '../../src/host/attachments/attachmentResolver.ts';
import { CompletionProvider } from '../../src/host/attachments/completionProvider.ts';
import { EditorContext } from '../../src/host/attachments/editorContext.ts';
import { Instructions } from '../../src/host/context/instructions.ts';
import { OfferedSelection } from '../../src/host/attachments/contextChips.ts';
import { commands, editors } from '../../src/host/contributions.ts';
import { thisNode } from '../../src/host/node/platform.ts';
import { diskView } from '../../src/host/node/thisMachine.ts';
import { fileSearches } from '../../src/host/platform/workspacePlaces.ts';
import { readRepository } from '../../src/host/node/gitReader.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { ReadOnlyDocuments } from '../../src/host/platform/readOnlyDocuments.ts';
import { WorkspaceIndex, type FileListing } from '../../src/host/platform/workspaceIndex.ts';
import { demoKey } from '../../src/local/models.ts';
import { base64Of } from '../../src/core/support/image.ts';
import { imageBytes } from '../support/images.ts';
import { consentsWith } from '../support/consentsWith.ts';
import { commitAll } from '../support/gitIn.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { closeRepository, openRepository } from './support/repository.ts';

/** Folder of the workspace for the files of these tests. */
const folder = 'attaching';

function root(): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'There is no workspace.');
  return first.uri;
}

async function put(path: string, content: string | Uint8Array): Promise<vscode.Uri> {
  const uri = vscode.Uri.joinPath(root(), folder, path);
  await mkdir(dirname(uri.fsPath), { recursive: true });
  await writeFile(uri.fsPath, content);
  return uri;
}

/** Lists the files of folders, with nothing denied. */
function listing(): Promise<FileListing> {
  return Promise.resolve({
    searchAt: fileSearches(() => thisNode.ripgrep()),
    unlisted: () => nothingLeftOut,
  });
}

/** Creates an attacher, and a person with one answer to all dialogs. */
function createAttacher(answer = true) {
  const attached: Attachment[] = [];
  const questions: string[] = [];
  const offered: string[] = [];
  const dialogs = dialogsWith({
    confirm(message, detail) {
      questions.push(`${message} ${detail}`);
      return Promise.resolve(answer);
    },
    pickSeveral(choices) {
      offered.push(...choices.map(({ label }) => label));
      return Promise.resolve(choices.slice(0, 1).map(({ value }) => value));
    },
  });
  const denied = [toLocation(vscode.Uri.joinPath(root(), folder, 'denied'))];
  const approval = new AttachmentApproval(
    consentsWith(dialogs),
    () => Promise.resolve(denied),
    diskView,
  );
  const attacher = new AttachmentResolver({
    composer: {
      attachments: attached,
      attach: (attachment) => attached.push(attachment),
      remove: () => undefined,
    },
    requireImages: () => undefined,
    saveImage: attachedImageOf,
    approval,
    dialogs,
    filesIn: (uri) => new WorkspaceIndex(listing).filesIn(uri),
  });
  return { attached, questions, offered, attacher, approval };
}

const noChats = {
  renew: () => undefined,
  choices: () => Promise.resolve([]),
  pick: () => Promise.resolve(),
};

describe('attachments', () => {
  before(async () => {
    await put('app.ts', 'export function start(): number {\n  return 1;\n}\n');
    await put('inner/deep.ts', 'export const deep = 1;\n');
    await put('.gitignore', 'ignored/\n');
    await put('ignored/big.ts', 'export const big = 1;\n');
  });
  after(() => rm(join(root().fsPath, folder), { recursive: true }));

  it('attaches a file with unsaved changes, and lines of it', async () => {
    const { attacher, attached } = createAttacher();
    const uri = vscode.Uri.joinPath(root(), folder, 'app.ts');
    await attacher.attach(uri);
    await attacher.attach(uri, new vscode.Range(1, 0, 1, 5));
    assert.deepEqual(
      attached.map(({ kind, name, path, text }) => [kind, name, path, text.length]),
      [
        ['file', 'app.ts', `${folder}/app.ts`, 48],
        ['selection', 'app.ts:2', `${folder}/app.ts`, 11],
      ],
    );
  });

  it("attaches the names of a folder's files, but no content", async () => {
    const { attacher, attached } = createAttacher();
    await attacher.attach(vscode.Uri.joinPath(root(), folder));
    const [list] = attached;
    assert.equal(list?.kind, 'folder');
    assert.equal(list.name, `${folder}/`);
    assert.match(list.text, /app\.ts/);
    assert.match(list.text, /inner\/\n deep\.ts/);
    assert.doesNotMatch(list.text, /ignored|export/);
  });

  it('attaches an image unchanged, identified by its bytes, not its name', async () => {
    const { attacher, attached } = createAttacher();
    const bytes = imageBytes.png(300, 200);
    const named = await put('photo.dat', bytes);
    await attacher.attach(named);
    await attacher.attachAddresses([named.toString()]);
    const [image] = attached;
    assert.deepEqual(
      [image?.kind, image?.name, image?.path, image?.text, image?.image?.width],
      ['image', 'photo.dat', `${folder}/photo.dat`, '', 300],
    );
    const text = await put('fake.png', 'no image');
    await attacher.attach(text);
    assert.equal(attached.at(-1)?.kind, 'file');
    const binary = await put('other.png', Uint8Array.from([0, 1, 2, 0, 0, 0, 9]));
    await assert.rejects(attacher.attach(binary), /other\.png can't be read as text/);
  });

  it('refuses an image in a denied place, one that is too large, and one too many', async () => {
    const { attacher, attached } = createAttacher();
    const denied = await put('denied/photo.png', imageBytes.png(300, 200));
    await assert.rejects(attacher.attach(denied), /never attached/);
    await rm(denied.fsPath);
    const large = Uint8Array.from([...imageBytes.png(300, 200), ...new Uint8Array(5_000_000)]);
    await assert.rejects(attacher.attach(await put('large.png', large)), /up to 5 MB/);
    for (let width = 1; width <= 10; width += 1)
      await attacher.attach(await put(`${width}.gif`, imageBytes.gif(width, 1)));
    await assert.rejects(
      attacher.attach(await put('more.gif', imageBytes.gif(11, 1))),
      /up to 10 images/,
    );
    assert.equal(attached.length, 10);
  });

  it('accepts a scaled image in place of its file, once', async () => {
    const { attacher, attached } = createAttacher();
    await attacher.attach(await put('photo.png', imageBytes.png(3000, 2000)));
    const [original] = attached;
    assert.ok(original);
    const { id, image } = original;
    assert.equal(image?.isOriginal, true);
    const small = base64Of(imageBytes.png(1568, 1045));
    assert.deepEqual(await attacher.scaleImage(id, small), image);
    const scaled = attached.at(-1);
    assert.deepEqual([scaled?.id, scaled?.path], [id, `${folder}/photo.png`]);
    assert.deepEqual([scaled?.image?.width, scaled?.image?.isOriginal], [1568, undefined]);
    attached.splice(0, 1);
    assert.equal(await attacher.scaleImage(id, small), undefined);
    assert.equal(await attacher.scaleImage('other', small), undefined);
  });

  it('attaches a pasted image, whatever its name', async () => {
    const { attacher, attached } = createAttacher();
    const base64 = base64Of(imageBytes.jpeg(40, 30));
    await attacher.attachImage({ name: '', base64 });
    await attacher.attachImage({ name: 'a\nb.png', base64 });
    assert.deepEqual(
      attached.map(({ name, path, image }) => [name, path, image?.type]),
      [
        ['Pasted image', '', 'image/jpeg'],
        ['a b.png', '', 'image/jpeg'],
      ],
    );
    for (const wrong of ['', '!!!', btoa('no image'), btoa('<svg/>')])
      await assert.rejects(
        attacher.attachImage({ name: 'x.png', base64: wrong }),
        /Unsupported image format/,
      );
  });

  it('asks before attaching a file with secrets, and respects a no', async () => {
    const uri = await put('.env', 'PASSWORD=1');
    const refusing = createAttacher(false);
    await refusing.attacher.attach(uri);
    assert.deepEqual(refusing.attached, []);
    assert.match(refusing.questions.join(), /\.env\? It may contain secrets/);
    const willing = createAttacher(true);
    await willing.attacher.attach(uri);
    assert.equal(willing.attached[0]?.text, 'PASSWORD=1');
  });

  it('attaches a whole pasted text, and asks if it seems to contain a secret', async () => {
    const paste = async (
      answer: boolean,
      text: string,
    ): Promise<ReturnType<typeof createAttacher>> => {
      const made = createAttacher(answer);
      await made.attacher.attachPasted({ id: 'pasted-1', text, language: '' });
      return made;
    };
    const long = 'x'.repeat(200_000);
    const { attached, questions } = await paste(false, `${long}\nend\n`);
    assert.deepEqual(
      [attached[0]?.text, attached[0]?.name],
      [`${long}\nend\n`, 'Pasted text (2 lines)'],
    );
    assert.deepEqual(questions, []);
    const secret = `TOKEN=ghp_${'a1B2c3D4'.repeat(5)}`;
    const refusing = await paste(false, secret);
    assert.deepEqual(refusing.attached, []);
    assert.match(refusing.questions.join(), /Pasted text\? It appears to contain a secret/);
    assert.equal((await paste(true, secret)).attached[0]?.text, secret);
  });

  it('asks before attaching a file with secrets through a link with another name', async () => {
    await put('.env', 'PASSWORD=1');
    const link = join(root().fsPath, folder, 'harmless.txt');
    await symlink(join(root().fsPath, folder, '.env'), link);
    const { attacher, attached, questions } = createAttacher(false);
    await attacher.attach(vscode.Uri.file(link));
    assert.deepEqual([attached.length, questions.length], [0, 1]);
  });

  it('asks once about a text that seems to contain a secret', async () => {
    const uri = await put('deploy.ts', 'const id = "AKIAABCDEFGHIJKLMNOP";\n');
    const { attacher, attached, questions } = createAttacher();
    await attacher.attach(uri);
    await attacher.attach(uri);
    assert.equal(attached.length, 2);
    assert.equal(questions.length, 1);
    assert.match(questions.join(), /AWS access key/);
  });

  if (process.platform !== 'win32') {
    it('opens no pipe, and shows all of a name', async () => {
      const { attacher, attached, questions } = createAttacher(false);
      for (const name of ['pipe.txt', 'pipe.key']) {
        const pipe = vscode.Uri.joinPath(root(), folder, name);
        execFileSync('mkfifo', [pipe.fsPath]);
        await assert.rejects(attacher.attach(pipe), /isn't a regular file/);
        await assert.rejects(attacher.attachAddresses([pipe.fsPath]), /isn't a regular file/);
        await rm(pipe.fsPath);
      }
      await attacher.attach(await put('.env\nIs harmless\u202e', 'PASSWORD=1'));
      assert.deepEqual(attached, []);
      assert.match(questions.join(), /\.env\\u\{a\}Is harmless\\u\{202e\}\?/);
    });
  }

  it('masks secrets in terminal output', async () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const { attacher, approval, attached } = createAttacher(false);
    const last = (): Promise<string> => Promise.resolve(`$ env\nTOKEN=${token}`);
    await new EditorContext(attacher, last, approval, readRepository).attachTerminal();
    assert.match(attached[0]?.text ?? '', /TOKEN=ghp_‹masked [0-9a-f]{6}›$/);
  });

  it('attaches nothing from a denied place', async () => {
    const uri = await put('denied/notes.txt', 'x');
    const { attacher, attached } = createAttacher();
    await assert.rejects(attacher.attach(uri), /never attached/);
    assert.deepEqual(attached, []);
  });

  it('accepts addresses and paths, and asks about those outside the workspace', async () => {
    const outside = await TemporaryFolder.create();
    try {
      const path = join(outside.path, 'outside.txt');
      await writeFile(path, 'far');
      const inside = vscode.Uri.joinPath(root(), folder, 'app.ts');
      const { attacher, attached, questions } = createAttacher();
      await attacher.attachAddresses([inside.toString(), inside.fsPath, path]);
      assert.deepEqual(
        attached.map(({ name }) => name),
        ['app.ts', 'app.ts', 'outside.txt'],
      );
      assert.equal(questions.length, 1);
      assert.match(questions.join(), /outside the workspace/);
      await assert.rejects(
        attacher.attachAddresses(['//server/share/x']),
        /isn't a valid file path/,
      );
      await assert.rejects(
        attacher.attachAddresses(['https://a.test/x']),
        /isn't a valid file path/,
      );
      await assert.rejects(
        attacher.attachAddresses([join(outside.path, 'gone')]),
        /Can't find the file/,
      );
    } finally {
      await outside.dispose();
    }
  });

  it('accepts files dragged from the Explorer, even in a remote window', async () => {
    const uri = await put('dragged ü#.ts', 'let a = 1;');
    const { remoteName } = vscode.env;
    const dragged =
      remoteName === undefined ? uri : uri.with({ scheme: 'vscode-remote', authority: remoteName });
    const { attacher, attached, questions } = createAttacher();
    await attacher.attachAddresses([dragged.toString()]);
    const names = attached.map(({ name }) => name);
    assert.deepEqual([names, questions], [['dragged ü#.ts'], []]);
  });

  it('attaches valid ones of several addresses, and reports the others', async () => {
    const uri = await put('there.ts', 'let a = 1;');
    const { attacher, attached } = createAttacher();
    const foreign = 'vscode-remote://ssh-remote%2Bother/work/a.ts';
    const all = [foreign, uri.toString(), `${uri.toString()}.gone`, uri.fsPath];
    await assert.rejects(attacher.attachAddresses(all), ({ message }: Error) => {
      assert.match(message, /Can't attach vscode-remote:.*no access to it\. Can't find the file/);
      return true;
    });
    assert.equal(attached.length, 2);
  });

  it('offers parts of a file that is too large', async () => {
    const body = '  // a line that is long enough\n'.repeat(2000);
    const uri = await put('large.ts', `function one() {\n${body}}\nfunction two() {\n${body}}\n`);
    const { attacher, attached, offered } = createAttacher();
    await attacher.attach(uri);
    assert.ok(offered.length > 0);
    assert.equal(attached.length, 1);
    assert.ok((attached[0]?.text.length ?? 0) <= 100_000);
    assert.ok(attached[0]?.range !== undefined);
  });

  it('attaches problems', async () => {
    const uri = await put('wrong.ts', 'const a = 1;\n');
    const collection = vscode.languages.createDiagnosticCollection('attach');
    const range = new vscode.Range(0, 6, 0, 7);
    collection.set(uri, [new vscode.Diagnostic(range, 'This is wrong.')]);
    try {
      const { attacher, approval, attached } = createAttacher();
      const surroundings = new EditorContext(
        attacher,
        () => Promise.resolve(undefined),
        approval,
        readRepository,
      );
      await surroundings.attachProblems();
      assert.equal(attached[0]?.kind, 'problems');
      assert.match(attached[0].text, /wrong\.ts[^]*This is wrong\./);
    } finally {
      collection.dispose();
    }
  });

  it('attaches terminal output, and reports if there is none', async () => {
    const { attacher, approval, attached } = createAttacher();
    const known = new EditorContext(
      attacher,
      () => Promise.resolve('$ npm test\nok'),
      approval,
      readRepository,
    );
    await known.attachTerminal();
    assert.deepEqual([attached[0]?.kind, attached[0]?.text], ['terminal', '$ npm test\nok']);
    const none = new EditorContext(
      attacher,
      () => Promise.resolve(undefined),
      approval,
      readRepository,
    );
    await assert.rejects(none.attachTerminal(), /Run a command/);
  });

  it('attaches the changes since the last commit', async () => {
    const uri = await put('repository/changing.ts', 'const before = 1;\n');
    const path = dirname(uri.fsPath);
    commitAll(path, 'First');
    await openRepository(path);
    try {
      await put('repository/changing.ts', 'const after = 1;\n');
      const { attacher, approval, attached } = createAttacher();
      const surroundings = new EditorContext(
        attacher,
        () => Promise.resolve(undefined),
        approval,
        readRepository,
      );
      await surroundings.attachChanges();
      assert.equal(attached[0]?.kind, 'changes');
      assert.match(attached[0].text, /-const before = 1;\n\+const after = 1;/);
    } finally {
      await closeRepository(path);
      await rm(path, { recursive: true });
    }
  });

  it('completes files, folders, symbols and context, and attaches the chosen item', async () => {
    const { attacher, approval, attached } = createAttacher();
    const index = new WorkspaceIndex(listing);
    const surroundings = new EditorContext(
      attacher,
      () => Promise.resolve('out'),
      approval,
      readRepository,
    );
    const completions = new CompletionProvider({
      index,
      attach: (...file) => attacher.attach(...file),
      editorContext: surroundings,
      prompts: () => Promise.resolve([{ name: 'fix', description: 'Fix it' }]),
      earlierChats: noChats,
      choosePreset: () => Promise.resolve(),
      attachSkill: () => Promise.resolve(),
      openPrompts: () => Promise.resolve(),
      clock: systemClock,
    });
    try {
      const { items: all } = await completions.complete('@', '');
      assert.deepEqual(
        all.slice(0, 6).map(({ label }) => label),
        ['selection', 'problems', 'changes', 'terminal', 'open files', 'chat…'],
      );
      const [openFiles] = (await completions.complete('@', 'OpenF')).items;
      assert.equal(openFiles?.label, 'open files');
      const { items } = await completions.complete('@', 'deep');
      assert.deepEqual(
        items.map(({ label, detail }) => [label, detail]),
        [['deep.ts', `${folder}/inner`]],
      );
      await completions.choose(items[0]?.id ?? '');
      assert.equal(attached[0]?.path, `${folder}/inner/deep.ts`);
      assert.deepEqual((await completions.complete('@', 'big.ts')).items, []);
      await assert.rejects(completions.choose('/etc/passwd'), /no longer in the list/);
      const commands = (await completions.complete('/', 'f')).items;
      assert.deepEqual(
        commands.map(({ insert, label, isAction }) => [insert ?? label, isAction]),
        [
          ['/fix ', undefined],
          ['Choose Preset…', true],
          ['Open My Prompts…', true],
        ],
      );
    } finally {
      index.dispose();
    }
  });

  it('completes a symbol by its name', async () => {
    const { attacher, approval, attached } = createAttacher();
    const index = new WorkspaceIndex(listing);
    const uri = vscode.Uri.joinPath(root(), folder, 'app.ts');
    const range = new vscode.Range(0, 0, 2, 1);
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (query) =>
        'startEngine'.includes(query)
          ? [
              new vscode.SymbolInformation(
                'startEngine',
                vscode.SymbolKind.Function,
                '',
                new vscode.Location(uri, range),
              ),
            ]
          : [],
    });
    const completions = new CompletionProvider({
      index,
      attach: (...file) => attacher.attach(...file),
      editorContext: new EditorContext(
        attacher,
        () => Promise.resolve(undefined),
        approval,
        readRepository,
      ),
      prompts: () => Promise.resolve([]),
      earlierChats: noChats,
      choosePreset: () => Promise.resolve(),
      attachSkill: () => Promise.resolve(),
      openPrompts: () => Promise.resolve(),
      clock: systemClock,
    });
    try {
      const { items, mayGrow } = await completions.complete('@', 'startEn');
      assert.deepEqual([items, mayGrow], [[], true]);
      let last = await completions.more();
      while (last?.mayGrow === true) last = await completions.more();
      assert.ok(last?.items.some(({ label }) => label === 'startEngine'));
      const named = (await completions.complete('@', '#startEn')).items;
      const symbol = named.find(({ label }) => label === 'startEngine');
      await completions.choose(symbol?.id ?? '');
      assert.deepEqual([attached[0]?.kind, attached[0]?.range], ['symbol', { start: 1, end: 3 }]);
    } finally {
      provider.dispose();
      index.dispose();
    }
  });

  it('suggests the selection, and only if enabled', async () => {
    const offered = new OfferedSelection(systemClock);
    const uri = vscode.Uri.joinPath(root(), folder, 'app.ts');
    try {
      const editor = await vscode.window.showTextDocument(uri);
      editor.selection = new vscode.Selection(0, 0, 1, 3);
      assert.equal(offered.current, undefined);
      offered.watch(true);
      await until(() => offered.current?.range.end.line === 1);
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      await until(() => offered.current === undefined);
    } finally {
      offered.dispose();
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    }
  });

  it('shows a read-only text', async () => {
    const texts = new ReadOnlyDocuments('aside-attach-test');
    try {
      const document = await texts.show('Next Request', '{"a":\u{200b}1}', 'jsonc');
      assert.equal(document.getText(), '{"a":\\u{200b}1}');
      assert.equal(document.languageId, 'jsonc');
      assert.equal(document.uri.scheme, 'aside-attach-test');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      texts.dispose();
    }
  });
});

describe('aside.showRequest, in the demo', () => {
  it('opens one tab, also when it is called again', async () => {
    const openTabs = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(
          ({ input }) =>
            input instanceof vscode.TabInputWebview && input.viewType.endsWith(editors.request),
        );
    await vscode.commands.executeCommand(commands.useDemo);
    try {
      await vscode.commands.executeCommand(commands.showRequest);
      await vscode.commands.executeCommand(commands.showRequest);
      await until(() => openTabs().length === 1);
      assert.equal(openTabs()[0]?.label, 'Next Request');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  it('shows the request with attachments, and no key', async () => {
    await vscode.commands.executeCommand(commands.useDemo);
    const uri = await put('shown.ts', 'export const shown = 1;\n');
    try {
      await vscode.window.showTextDocument(uri);
      await vscode.commands.executeCommand(commands.addToChat);
      await vscode.commands.executeCommand(commands.showRequest, { asText: true });
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.languageId, 'jsonc');
      const text = document.getText();
      assert.match(text, /^\/\/ POST \S+\/v1\/chat\/completions\n\{\n {2}"model"/);
      assert.match(text, /shown\.ts:\\n```typescript\\nexport const shown = 1;/);
      assert.match(text, /Bearer ‹key›/);
      assert.ok(!text.includes(demoKey));
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await rm(join(root().fsPath, folder), { recursive: true });
    }
  });
});

describe('the instructions of a workspace', () => {
  const file = (): vscode.Uri => vscode.Uri.joinPath(root(), 'AGENTS.md');
  afterEach(() => rm(file().fsPath, { force: true }));

  function instructionsWith(
    stored: Map<string, unknown>,
    answer: boolean | undefined,
    questions: string[],
  ): Instructions {
    return new Instructions(
      consentsWith(
        {
          choose({ message, buttons: [no, , yes] }) {
            questions.push(message);
            return Promise.resolve(answer === undefined ? undefined : answer ? yes : no);
          },
        },
        stored,
      ),
      { of: () => ({ button: 'Preview', show: () => Promise.resolve() }) },
      (text) => text.replaceAll('sk-mine', '‹key›'),
      (error) => assert.ok(false, String(error)),
    );
  }

  it('need approval once, even with another window, and are sent without the key', async () => {
    await writeFile(file().fsPath, 'Use tabs. sk-mine');
    const stored = new Map<string, unknown>();
    const questions: string[] = [];
    for (let window = 0; window < 2; window++) {
      const instructions = instructionsWith(stored, true, questions);
      await instructions.prepare([[]], true);
      await instructions.prepare([[]], true);
      assert.deepEqual(instructions.used, [{ path: 'AGENTS.md', text: 'Use tabs. ‹key›' }]);
      instructions.dispose();
    }
    assert.deepEqual(questions, ['Use AGENTS.md as instructions?']);
  });

  it('are not sent if the person declines, who can change that later', async () => {
    await writeFile(file().fsPath, 'Use tabs.');
    const stored = new Map<string, unknown>();
    const questions: string[] = [];
    const refusing = instructionsWith(stored, false, questions);
    await refusing.prepare([[]], true);
    assert.deepEqual(refusing.used, []);
    refusing.dispose();
    const willing = instructionsWith(stored, true, questions);
    await willing.prepare([[]], true);
    assert.equal(questions.length, 1);
    await willing.ask('AGENTS.md');
    assert.equal(willing.used.length, 1);
    willing.dispose();
  });

  it('are asked about again after a change, and not sent until they are allowed', async () => {
    await writeFile(file().fsPath, 'Use tabs.');
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    await instructions.prepare([[]], true);
    await vscode.workspace.fs.writeFile(file(), new TextEncoder().encode('Use spaces.'));
    await until(() => instructions.used.length === 0);
    const [changed] = instructions.files;
    assert.deepEqual([changed?.hasChanged, changed?.allowedText], [true, 'Use tabs.']);
    await instructions.prepare([[]], true);
    assert.equal(questions.length, 2);
    assert.equal(instructions.used[0]?.text, 'Use spaces.');
    instructions.dispose();
  });

  const paths = ({ used }: Instructions): readonly string[] => used.map(({ path }) => path);

  it("include those of the attachments' folders, and those with matching globs", async () => {
    const github = vscode.Uri.joinPath(root(), '.github');
    await mkdir(join(github.fsPath, 'instructions/deep'), { recursive: true });
    const write = (path: string, text: string): Promise<void> =>
      writeFile(join(github.fsPath, path), text);
    await write('copilot-instructions.md', 'Be kind.');
    await write('instructions/deep/python.instructions.md', '---\napplyTo: "**/*.py"\n---\nTypes.');
    await write('instructions/never.instructions.md', 'Without files.');
    await write('instructions/all.instructions.md', "---\napplyTo: '**'\n---\nAlways.");
    await put('AGENTS.md', 'Outer.');
    await put('inner/AGENTS.md', 'Inner.');
    await put('other/AGENTS.md', 'Other.');
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    await instructions.prepare([[]], true);
    const always = ['.github/copilot-instructions.md', '.github/instructions/all.instructions.md'];
    assert.deepEqual(paths(instructions), always);
    await instructions.prepare([[], [`${folder}/inner/deep.py`]], true);
    const python = '.github/instructions/deep/python.instructions.md';
    const below = [`${folder}/AGENTS.md`, `${folder}/inner/AGENTS.md`];
    assert.deepEqual(paths(instructions).toSorted(), [...always, python, ...below].toSorted());
    assert.deepEqual(
      questions.map((message) => message.split(' ')[1]),
      [...always, python, ...below],
    );
    assert.equal(instructions.used.find(({ path }) => path === python)?.text, 'Types.');
    instructions.dispose();
    await rm(github.fsPath, { recursive: true });
    await rm(join(root().fsPath, folder), { recursive: true });
  });

  it('are used for commands only if their current text was allowed before', async () => {
    await writeFile(file().fsPath, 'Root.');
    await put('AGENTS.md', 'Outer.');
    const code = await put('a.ts', 'a');
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    assert.deepEqual(await instructions.usedFor([code]), []);
    assert.deepEqual(questions, []);
    await put('AGENTS.md', 'Outer. sk-mine');
    await instructions.readAgain([]);
    await instructions.ask(`${folder}/AGENTS.md`);
    const [used, ...others] = await instructions.usedFor([code]);
    assert.deepEqual([used?.path, used?.text, others], [`${folder}/AGENTS.md`, 'Outer. ‹key›', []]);
    await put('AGENTS.md', 'Outer, changed.');
    assert.deepEqual(await instructions.usedFor([code]), []);
    assert.equal(questions.length, 1);
    assert.deepEqual(await instructions.usedFor([file()]), []);
    instructions.dispose();
    await rm(join(root().fsPath, folder), { recursive: true });
  });

  it('need approval in portions, and not again in the same window', async () => {
    const instructionFolder = join(root().fsPath, '.github/instructions');
    await mkdir(instructionFolder, { recursive: true });
    for (let number = 0; number < 8; number++)
      await writeFile(
        join(instructionFolder, `${number}.instructions.md`),
        `---\napplyTo: "**"\n---\n${number}`,
      );
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), undefined, questions);
    await instructions.prepare([[]], true);
    assert.equal(questions.length, 5);
    await instructions.prepare([[]], true);
    await instructions.prepare([[]], true);
    assert.equal(questions.length, 8);
    assert.deepEqual(instructions.used, []);
    instructions.dispose();
    await rm(join(root().fsPath, '.github'), { recursive: true });
  });

  it('are not read behind a link to a folder, and not in folders for secrets', async () => {
    const outside = await TemporaryFolder.create();
    await writeFile(join(outside.path, 'AGENTS.md'), 'Outside.');
    await writeFile(join(outside.path, 'a.instructions.md'), '---\napplyTo: "**"\n---\nOutside.');
    await put('a.ts', 'a');
    await symlink(outside.path, join(root().fsPath, folder, 'linked'));
    await mkdir(join(root().fsPath, '.github'));
    await symlink(outside.path, join(root().fsPath, '.github/instructions'));
    await put('.ssh/AGENTS.md', 'Secret.');
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    await instructions.prepare([[`${folder}/linked/b.ts`, `${folder}/.ssh/config`]], true);
    assert.deepEqual([instructions.files, questions], [[], []]);
    instructions.dispose();
    await rm(join(root().fsPath, '.github'), { recursive: true });
    await rm(join(root().fsPath, folder), { recursive: true });
    await outside.dispose();
  });

  it('are not read behind a link', async () => {
    const secret = await put('.env', 'PASSWORD=1');
    await symlink(secret.fsPath, file().fsPath);
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    await instructions.prepare([[]], true);
    assert.deepEqual([instructions.used, questions], [[], []]);
    instructions.dispose();
    await rm(join(root().fsPath, folder), { recursive: true });
  });

  it('are neither offered nor used in an untrusted workspace', async () => {
    await writeFile(file().fsPath, 'Use tabs.');
    const questions: string[] = [];
    const instructions = instructionsWith(new Map(), true, questions);
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
    Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, value: false });
    try {
      await instructions.prepare([[]], true);
      assert.deepEqual([instructions.files, instructions.used, questions], [[], [], []]);
    } finally {
      if (trusted !== undefined) Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
      instructions.dispose();
    }
  });
});
