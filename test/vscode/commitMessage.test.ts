import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Uri } from 'vscode';
import {
  CommandRequests,
  type GeneratedText,
  type GenerationRequest,
  type TextGenerator,
} from '../../src/host/editor/textGenerator.ts';
import { readRepository } from '../../src/host/node/gitReader.ts';
import type { GitRepository } from '../../src/host/platform/git.ts';
import { gitIn } from '../support/gitIn.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { closeRepository, openRepository } from './support/repository.ts';
import { CommitMessage } from '../../src/host/editor/commitMessage.ts';

/** Gives scripted replies, and records the requests. */
class FakeGenerator implements TextGenerator {
  prompt = '';
  about: readonly string[] = [];
  pieces: readonly string[] = ['Add a ', 'greeting\n\n', 'It says hello.\n'];
  end: GeneratedText['end'] = 'finished';
  onPiece: (text: string) => void = () => undefined;

  generate({ messages, about = [], onText, signal }: GenerationRequest): Promise<GeneratedText> {
    this.prompt = messages.map(({ content }) => content ?? '').join('\n');
    this.about = about.map(({ fsPath }) => fsPath);
    for (const piece of this.pieces) {
      if (signal.aborted) break;
      onText(piece);
      this.onPiece(piece);
    }
    return Promise.resolve({ text: '', end: signal.aborted ? 'stopped' : this.end });
  }
}

describe('a commit message', () => {
  let temporary: TemporaryFolder;
  let root: string;
  let repository: GitRepository;
  let answers: FakeGenerator;
  let message: CommitMessage;
  /** Files whose approval was requested. */
  let approvalFiles: string[];

  const git = (...words: readonly string[]): string => gitIn(root, ...words);
  const put = (path: string, text: string): Promise<void> => writeFile(join(root, path), text);
  const write = (): Promise<void> => message.write({ rootUri: repository.rootUri });

  before(async () => {
    temporary = await TemporaryFolder.create();
    root = join(temporary.path, 'repository');
    await mkdir(root);
    git('init', '--quiet', '--initial-branch=main');
    repository = await openRepository(root);
  });

  after(async () => {
    await closeRepository(root);
    await temporary.dispose();
  });

  beforeEach(() => {
    answers = new FakeGenerator();
    approvalFiles = [];
    const maySend = (uri: Uri): Promise<boolean> => {
      approvalFiles.push(uri.path.slice(uri.path.lastIndexOf('/') + 1));
      return Promise.resolve(false);
    };
    const requests = new CommandRequests(
      answers,
      () => Promise.resolve('m'),
      maySend,
      () => '',
    );
    message = new CommitMessage(requests, readRepository);
    repository.inputBox.value = 'wip';
  });

  it('refuses if nothing changed', async () => {
    await assert.rejects(write(), /no changes to commit/);
    assert.equal(repository.inputBox.value, 'wip');
  });

  it('is written for the first commit too, from staged changes', async () => {
    await put('hello.ts', "export const hello = 'hello';\n");
    await put('other.ts', 'not staged\n');
    git('add', 'hello.ts');
    await write();
    assert.equal(repository.inputBox.value, 'Add a greeting\n\nIt says hello.');
    assert.match(answers.prompt, /hello\.ts/);
    assert.match(answers.prompt, /\+export const hello/);
    assert.doesNotMatch(answers.prompt, /not staged/);
    assert.deepEqual(answers.about, [join(root, 'hello.ts')]);
    git('commit', '--quiet', '--message=feat: say hello');
  });

  it('follows the style of earlier commits, and describes all changes if nothing is staged', async () => {
    await put('hello.ts', "export const hello = 'good day';\n");
    await write();
    assert.match(answers.prompt, /feat: say hello/);
    assert.match(answers.prompt, /\+export const hello = 'good day'/);
    assert.match(answers.prompt, /other\.ts[\s\S]*\+not staged/);
  });

  it('includes no secrets and no targets of links', async () => {
    await put('.env', 'TOKEN=hidden-in-env\n');
    await writeFile(join(temporary.path, 'outside'), 'hidden-outside\n');
    await symlink(join(temporary.path, 'outside'), join(root, 'link'));
    await write();
    assert.doesNotMatch(answers.prompt, /hidden-in-env|hidden-outside/);
    git('add', '--force', '.env');
    await write();
    assert.match(answers.prompt, /\.env/);
    assert.doesNotMatch(answers.prompt, /hidden-in-env/);
    git('reset', '--quiet');
    await Promise.all(['.env', 'link'].map((path) => rm(join(root, path))));
  });

  it('includes no keys, and asks if a change seems to contain a secret', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEhiddenInKey\n-----END PRIVATE KEY-----\n';
    await put('server.key', key);
    await put('config.ts', `export const token = 'ghp_${'a1B2c3D4'.repeat(5)}';\n`);
    await put('key.txt', key);
    for (const add of [[], ['add', '.']]) {
      if (add.length > 0) git(...add);
      approvalFiles = [];
      await write();
      assert.match(answers.prompt, /server\.key/);
      assert.match(answers.prompt, /config\.ts/);
      assert.doesNotMatch(answers.prompt, /hiddenInKey|a1B2c3D4/);
      assert.deepEqual(approvalFiles.toSorted(), ['config.ts', 'key.txt']);
    }
    git('reset', '--quiet');
    await Promise.all(['server.key', 'config.ts', 'key.txt'].map((path) => rm(join(root, path))));
  });

  it('restores the input when it is stopped', async () => {
    answers.onPiece = () => message.stop();
    await write();
    assert.equal(repository.inputBox.value, 'wip');
  });

  it('restores the input if the reply is incomplete, and reports that', async () => {
    answers.end = 'cut';
    await assert.rejects(write(), /was cut off/);
    assert.equal(repository.inputBox.value, 'wip');
    answers.end = 'finished';
    answers.pieces = [' \n'];
    await assert.rejects(write(), /didn't write a commit message/);
    assert.equal(repository.inputBox.value, 'wip');
  });

  it('preserves a message that the person types meanwhile', async () => {
    answers.onPiece = () => (repository.inputBox.value = 'Mine');
    await write();
    assert.equal(repository.inputBox.value, 'Mine');
  });

  it('is written one at a time', async () => {
    answers.onPiece = () => void assert.rejects(write(), /Stop it first/);
    await write();
    assert.equal(repository.inputBox.value, 'Add a greeting\n\nIt says hello.');
  });
});
