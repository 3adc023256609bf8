import * as vscode from 'vscode';
import { commitMessages, extractMessage } from '../../core/code/commitMessage.ts';
import { ThinkSplitter, type ReplySegment } from '../../core/service/thinkSplitter.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { requireComplete, type CommandRequests } from './textGenerator.ts';
import { contextKeys } from '../contributions.ts';
import { UserError } from '../platform/errors.ts';
import type { GitRepository, ReadRepository } from '../platform/git.ts';
import { chooseRepository, commitDiffs, uriIn } from './commitDiffs.ts';

/** Number of recent commits whose style is followed. */
const maxRecent = 20;

/** Streams a commit message into the input of Source Control, one at a time. */
export class CommitMessage {
  readonly #requests: CommandRequests;
  readonly #readRepository: ReadRepository;
  #running: AbortController | undefined;

  constructor(requests: CommandRequests, readRepository: ReadRepository) {
    this.#requests = requests;
    this.#readRepository = readRepository;
  }

  /**
   * `aside.writeCommitMessage`, with the argument that the Source Control view passes to its
   * buttons.
   */
  async write(clicked: unknown): Promise<void> {
    if (this.#running !== undefined) {
      throw new UserError(
        vscode.l10n.t('A commit message is already being written. Stop it first.'),
      );
    }
    const abort = new AbortController();
    this.#running = abort;
    try {
      const repository = await chooseRepository(clicked, {
        untrusted: vscode.l10n.t(
          "Aside doesn't read this folder in Restricted Mode. Trust the workspace to write a commit message.",
        ),
        several: vscode.l10n.t('Select the repository to write a commit message for'),
      });
      if (repository === undefined) return;
      const model = await this.#requests.model();
      // The progress in Source Control has a button that stops the generation.
      setIsWriting(true);
      const location = vscode.ProgressLocation.SourceControl;
      await vscode.window.withProgress({ location }, () => this.#stream(repository, model, abort));
    } finally {
      this.#running = undefined;
      setIsWriting(false);
    }
  }

  /** `aside.stopCommitMessage`: restores the previous content of the input. */
  stop(): void {
    this.#running?.abort();
  }

  async #stream(repository: GitRepository, model: string, abort: AbortController): Promise<void> {
    const { signal } = abort;
    const prompt = await this.#prompt(repository, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (prompt === undefined) return;
    const input = new MessageInput(repository.inputBox);
    let isComplete = false;
    try {
      const reply = await this.#requests.generate({
        ...prompt,
        model,
        signal,
        purpose: 'commit',
        onText(text) {
          // If the person edits the input, their text stays and the generation stops.
          if (!input.add(text)) abort.abort();
        },
      });
      input.end();
      requireComplete(reply);
      if (reply.end === 'finished' && input.isEmpty)
        throw new UserError(vscode.l10n.t("The model didn't write a commit message. Try again."));
      isComplete = reply.end === 'finished';
    } finally {
      if (!isComplete) input.restore();
    }
  }

  async #prompt(repository: GitRepository, signal: AbortSignal) {
    const reader = await this.#readRepository(repository.rootUri.fsPath);
    const diffs = await commitDiffs(repository, reader, this.#requests.maySend, signal);
    if (diffs.length === 0) {
      throw new UserError(
        vscode.l10n.t('There are no changes to commit. Change or stage a file first.'),
      );
    }
    // Before the first commit there is no style to follow.
    const recent = (await orUndefined(reader.subjects(maxRecent))) ?? [];
    const messages = commitMessages(diffs, recent, this.#requests.instructions);
    return { messages, about: diffs.map(({ path }) => uriIn(repository, path)) };
  }
}

/** Sets the context key that shows the button to stop. */
function setIsWriting(isWriting: boolean): void {
  background(
    vscode.commands.executeCommand('setContext', contextKeys.writingCommitMessage, isWriting),
  );
}

/** Characters. */
const longestMessage = 20_000;

/** The input of Source Control while a message is streamed into it. */
export class MessageInput {
  readonly #input: { value: string };
  readonly #before: string;
  readonly #splitter = new ThinkSplitter();
  #received = '';
  #message = '';
  /** Earlier texts that proved not to begin the message. */
  readonly #dropped: string[] = [];

  constructor(input: { value: string }) {
    this.#input = input;
    this.#before = input.value;
  }

  /** Appends to the message. Returns false if the person has edited the input, which then stays. */
  add(text: string): boolean {
    if (!this.#isUnedited()) return false;
    this.#read(this.#splitter.push(text));
    return true;
  }

  /** Shows what was held back. Call it when no more text follows. */
  end(): void {
    if (this.#isUnedited()) this.#read(this.#splitter.end());
  }

  #read(segments: readonly ReplySegment[]): void {
    for (const segment of segments) {
      if (segment.type === 'thought-end') this.#received = '';
      else if (segment.type === 'text') this.#received += segment.text;
    }
    // Longer texts are thoughts whose end is still to come.
    if (this.#received.length > longestMessage) return;
    const message = extractMessage(this.#received);
    if (!message.startsWith(this.#message)) this.#dropped.push(this.#message);
    this.#message = message;
    this.#input.value = message;
  }

  get isEmpty(): boolean {
    return this.#message === '';
  }

  /** Restores the previous content, unless the person has edited the input. */
  restore(): void {
    if (this.#isUnedited()) this.#input.value = this.#before;
  }

  /** VS Code updates the input's value with a delay: it may still be an earlier text. */
  #isUnedited(): boolean {
    const { value } = this.#input;
    const shown = [this.#message, ...this.#dropped];
    return value === this.#before || shown.some((text) => text.startsWith(value));
  }
}
