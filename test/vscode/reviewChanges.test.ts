import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { dialogsWith } from '../support/dialogsWith.ts';
import {
  CommandRequests,
  type GeneratedText,
  type GenerationRequest,
  type TextGenerator,
} from '../../src/host/editor/textGenerator.ts';
import { CommentThreads } from '../../src/host/editor/commentThreads.ts';
import { ReviewChanges } from '../../src/host/editor/reviewChanges.ts';
import { readRepository } from '../../src/host/node/gitReader.ts';
import type { GitRepository } from '../../src/host/platform/git.ts';
import { gitIn } from '../support/gitIn.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { EditRig } from './support/editRig.ts';
import { closeRepository, openRepository } from './support/repository.ts';

const debugging = 'This looks like output from debugging. Remove it before you commit.';

/** Comments on each added line with output. */
function commentsOnOutput(request: string): string {
  let file = '';
  const comments = request.split('\n').flatMap((text) => {
    file = /^(.+):$/.exec(text)?.[1] ?? file;
    const line = /^ *(\d+) \+console\./.exec(text)?.[1];
    return line === undefined ? [] : [{ file, line, kind: 'suggestion', comment: debugging }];
  });
  return comments.map((comment) => `${JSON.stringify(comment)}\n`).join('') || 'none';
}

/** A model with scripted replies, or comments on output by default, in pieces. Records the requests. */
class ScriptedModel implements TextGenerator {
  readonly requests: GenerationRequest[] = [];
  reply: string | undefined;
  end: GeneratedText['end'] = 'finished';
  onPiece: () => void = () => undefined;

  generate(request: GenerationRequest): Promise<GeneratedText> {
    this.requests.push(request);
    const text = this.reply ?? commentsOnOutput(request.messages[1]?.content ?? '');
    for (const piece of text.match(/[^]{1,7}/g) ?? []) {
      if (request.signal.aborted) return Promise.resolve({ text: '', end: 'stopped' });
      request.onText(piece);
      this.onPiece();
    }
    return Promise.resolve({ text, end: this.end });
  }

  get sent(): string {
    return this.requests
      .flatMap(({ messages }) => messages.map(({ content }) => content ?? ''))
      .join('\n');
  }
}

const source = ['const a = 1;', 'console.log(a);', 'export const b = a + 2;', ''].join('\n');

const { Resolved, Unresolved } = vscode.CommentThreadState;
const { Collapsed, Expanded } = vscode.CommentThreadCollapsibleState;

describe('the review of changes', () => {
  let temporary: TemporaryFolder;
  let root: string;
  let repository: GitRepository;
  let model: ScriptedModel;
  let threads: CommentThreads;
  let review: ReviewChanges;
  let rig: EditRig;
  /** Texts of notifications and dialogs. */
  let said: string[];
  let cancel: AbortController;
  const { showInformationMessage } = vscode.window;
  let files = 0;

  const git = (...words: readonly string[]): string => gitIn(root, ...words);
  const uriOf = (path: string): vscode.Uri => vscode.Uri.joinPath(repository.rootUri, path);
  const put = (path: string, text: string): Promise<void> => writeFile(join(root, path), text);
  const run = (): Promise<void> => review.run({ rootUri: repository.rootUri });
  const line = (file: string, at: number, comment: string, more: object = {}): string =>
    `${JSON.stringify({ file, line: at, kind: 'bug', comment, ...more })}\n`;
  const places = (): readonly string[] =>
    threads.all.map(({ thread: { uri, range }, text }) => {
      const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
      return `${name}:${range?.start.line}-${range?.end.line} ${text.split(' ', 1).join('')}`;
    });
  const only = (): vscode.CommentThread => {
    const [first, ...others] = threads.all;
    assert.ok(first !== undefined && others.length === 0, places().join('\n'));
    return first.thread;
  };

  before(async () => {
    temporary = await TemporaryFolder.create();
    root = join(temporary.path, 'reviewed');
    await mkdir(root);
    git('init', '--quiet', '--initial-branch=main');
    repository = await openRepository(root);
  });

  after(async () => {
    await closeRepository(root);
    await temporary.dispose();
  });

  beforeEach(() => {
    model = new ScriptedModel();
    said = [];
    cancel = new AbortController();
    rig = new EditRig();
    threads = new CommentThreads(uriOf('icon.png'), () => Promise.resolve(true), rig.commands);
    const maySend = (uri: vscode.Uri): Promise<boolean> => {
      said.push(`Send ${uri.path.slice(uri.path.lastIndexOf('/') + 1)}?`);
      return Promise.resolve(false);
    };
    const requests = new CommandRequests(
      model,
      () => Promise.resolve('some/model'),
      maySend,
      () => '',
    );
    const dialogs = dialogsWith({
      showInformation: (message) => said.push(message),
      confirm: (message) => Promise.resolve(said.push(message) > 0),
      progress: (_, task) => task(cancel.signal),
    });
    const tokensOf = (characters: number): number => Math.ceil(characters / 4);
    review = new ReviewChanges(threads, requests, readRepository, tokensOf, dialogs);
    Object.assign(vscode.window, {
      showInformationMessage: (text: string) => Promise.resolve(void said.push(text)),
    });
  });

  afterEach(async () => {
    Object.assign(vscode.window, { showInformationMessage });
    threads.dispose();
    rig.open.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message=Next');
  });

  /** A new file with a comment on its second line. */
  async function createReviewedFile(): Promise<{
    readonly uri: vscode.Uri;
    readonly name: string;
  }> {
    const name = `file${++files}.ts`;
    await put(name, source);
    await run();
    assert.deepEqual(places(), [`${name}:1-1 This`]);
    return { uri: uriOf(name), name };
  }

  it('reports if nothing changed, and if nothing can be reviewed', async () => {
    await run();
    await put('.env', 'TOKEN=hidden');
    await run();
    assert.deepEqual(
      said.map((text) => text.split(':')[0]),
      ['There are no changes to review.', 'None of the changes can be reviewed'],
    );
    assert.equal(model.requests.length, 0);
  });

  it('comments on the lines of a new file, in text that runs and loads nothing', async () => {
    const { uri } = await createReviewedFile();
    const thread = only();
    assert.equal(thread.uri.toString(), uri.toString());
    assert.deepEqual(
      [thread.state, thread.collapsibleState, thread.canReply, thread.label],
      [Unresolved, Expanded, false, 'Suggestion'],
    );
    assert.deepEqual(said, ['The review has 1 comment.']);
    assert.equal(model.requests[0]?.purpose, 'review');
    model.reply = line(
      `file${files}.ts`,
      1,
      '<img src="http://x/y"> ![a](http://x/y) [z](command:evil) [good.com](http://evil.com) `a[0](b)` \u{202e}',
    );
    await run();
    const [comment] = only().comments;
    assert.ok(comment?.body instanceof vscode.MarkdownString);
    assert.equal(
      comment.body.value,
      '&lt;img src="http://x/y"> !&#91;a](http://x/y) &#91;z](command: evil) &#91;good.com](http://evil.com) `a[0](b)` \\u{202e}',
    );
    assert.notEqual(comment.body.isTrusted, true);
    assert.notEqual(comment.body.supportHtml, true);
    assert.deepEqual([comment.author.name, comment.label], ['Aside', 'some/model']);
  });

  it('reads only staged changes, and finds their lines in the current file', async () => {
    await put('staged.ts', source);
    git('add', 'staged.ts');
    await put('staged.ts', `// one\n// two\n${source}`);
    await put('other.ts', 'console.log(1);\n');
    await run();
    assert.deepEqual(places(), ['staged.ts:3-3 This']);
    assert.doesNotMatch(model.sent, /other\.ts|\/\/ two/);
  });

  it('sends no secrets, and reports what was omitted', async () => {
    await put('.env', 'TOKEN=hidden-in-env\n');
    await put('config.ts', `export const token = 'ghp_${'a1B2c3D4'.repeat(5)}';\n`);
    await put('plain.ts', 'const plain = 1;\n');
    await run();
    assert.doesNotMatch(model.sent, /hidden-in-env|a1B2c3D4|config\.ts/);
    assert.match(model.sent, /const plain/);
    assert.deepEqual(said, [
      'Send config.ts?',
      'No problems found in 1 changed file. Files only partly reviewed because they are too long or may contain secrets: 2.',
    ]);
  });

  it('shows text instead of comments, and comments that match no line', async () => {
    await put('words.ts', source);
    model.reply = 'I would rather not.';
    await run();
    model.reply = line('../elsewhere.ts', 1, 'x') + line('words.ts', 900, 'x');
    await run();
    assert.deepEqual(said, [
      'The reply has no comments. I would rather not.',
      'The review has no comments that can be shown. Comments outside changed lines were skipped: 2.',
    ]);
    assert.deepEqual(places(), []);
  });

  it('moves comments with the text, and finds them again after unobserved changes', async () => {
    const { uri, name } = await createReviewedFile();
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), '// first\n// second\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until(() => only().range?.start.line === 3);
    const all = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    all.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), `${source}// end\n`);
    assert.ok(await vscode.workspace.applyEdit(all));
    await until(() => only().range?.start.line === 1);
    assert.deepEqual(places(), [`${name}:1-1 This`]);
    await document.save();
  });

  it('resolves comments and opens them again', async () => {
    const { name } = await createReviewedFile();
    const thread = only();
    threads.resolve(thread);
    assert.deepEqual(
      [thread.state, thread.contextValue, thread.collapsibleState],
      [Resolved, 'resolved', Collapsed],
    );
    threads.unresolve(thread);
    assert.deepEqual([thread.state, thread.contextValue], [Unresolved, 'unresolved']);
    for (const other of [undefined, {}, { uri: thread.uri }]) threads.resolve(other);
    assert.equal(thread.state, Unresolved);
    threads.delete(thread);
    assert.deepEqual(places(), []);
    await run();
    assert.deepEqual(places(), [`${name}:1-1 This`]);
    threads.deleteAll();
    assert.deepEqual(places(), []);
  });

  it('replaces the unresolved comments of the files that it reads again', async () => {
    await put('first.ts', source);
    await put('second.ts', source);
    await run();
    const [first] = threads.all;
    assert.ok(first);
    threads.resolve(first.thread);
    model.reply = line('first.ts', 3, 'Again');
    await run();
    assert.deepEqual(places(), ['first.ts:1-1 This', 'first.ts:2-2 Again']);
    model.reply = 'none';
    git('add', 'second.ts');
    await run();
    assert.deepEqual(places(), ['first.ts:1-1 This', 'first.ts:2-2 Again']);
  });

  it('keeps comments received before the reply was cut off, and reports that', async () => {
    await put('cut.ts', source);
    await put('kept.ts', source);
    await run();
    said = [];
    model.reply = `${line('cut.ts', 3, 'Whole')}{"file":"cut.ts","line":1,"comm`;
    model.end = 'cut';
    await assert.rejects(run(), /was cut off/);
    assert.deepEqual(places().toSorted(), ['cut.ts:2-2 Whole', 'kept.ts:1-1 This']);
    assert.deepEqual(said, ['The review has 1 comment.']);
  });

  it('keeps comments received before it was canceled', async () => {
    await put('cancelled.ts', source);
    model.reply = line('cancelled.ts', 1, 'One') + line('cancelled.ts', 2, 'Two');
    let pieces = 0;
    model.onPiece = () => {
      pieces += 1;
      if (pieces === 13) cancel.abort();
    };
    await run();
    assert.deepEqual(places(), ['cancelled.ts:0-0 One']);
    assert.deepEqual(said, []);
  });

  it('asks before it sends several requests, and runs one review at a time', async () => {
    for (const index of [1, 2, 3])
      await put(`long${index}.ts`, `const x = '${'y'.repeat(60)}';\n`.repeat(200));
    model.reply = 'none';
    model.onPiece = () => void assert.rejects(run(), /already being reviewed/);
    await run();
    assert.equal(model.requests.length, 2);
    assert.deepEqual(said, [
      'Review 3 files in 2 requests?',
      'No problems found in 3 changed files.',
    ]);
  });

  it('turns a comment into an edit, which is reviewed before anything changes', async () => {
    const { uri } = await createReviewedFile();
    rig.model.text = '```ts\nreport(a);\n```';
    await threads.fix(only());
    const [request] = rig.model.requests;
    assert.match(request?.messages[1]?.content ?? '', /It is about line 2\.\n\nThis looks like/);
    assert.equal(request?.purpose, 'edit');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), source);
    const proposed = vscode.workspace.textDocuments.find(
      ({ uri: { scheme } }) => scheme === 'aside-review',
    );
    assert.ok(proposed);
    await until(() => proposed.getText() === source.replace('console.log', 'report'));
  });

  it('attaches the code and the comment to a message', async () => {
    await createReviewedFile();
    const attachments = await threads.attachments(only());
    assert.deepEqual(
      attachments.map(({ range, text }) => [range?.start, text.split('\n').slice(0, 1)[0]]),
      [
        [2, 'console.log(a);'],
        [undefined, `${vscode.workspace.asRelativePath(uriOf(`file${files}.ts`))}, line 2:`],
      ],
    );
    assert.match(attachments[1]?.text ?? '', /This looks like/);
  });
});
