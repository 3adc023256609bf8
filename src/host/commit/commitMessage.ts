import * as vscode from 'vscode';
import { commitMessages } from '../../core/code/commitPrompt.ts';
import type { WireMessage } from '../../core/service/wire.ts';
import { requireWhole } from '../code/requireWhole.ts';
import type { TextAnswers } from '../code/textAnswers.ts';
import { contextKeys } from '../contributions.ts';
import { Refusal } from '../refusal.ts';
import { gitRepositories, type GitRepository } from '../tools/gitApi.ts';
import { chooseRepository } from './chooseRepository.ts';
import { commitDiffs } from './commitDiffs.ts';
import { MessageInput } from './messageInput.ts';

export interface CommitMessageNeeds {
  readonly answers: TextAnswers;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
}

/** Commits whose style is followed. */
const mostRecent = 20;

/** Writes the message of a commit into the input of Source Control, one at a time. */
export class CommitMessage {
  readonly #needs: CommitMessageNeeds;
  #running: AbortController | undefined;

  constructor(needs: CommitMessageNeeds) {
    this.#needs = needs;
  }

  /** `aside.writeCommitMessage`, with what the Source Control view gives its buttons. */
  async write(clicked: unknown): Promise<void> {
    if (this.#running !== undefined) {
      throw new Refusal(vscode.l10n.t('A commit message is being written. Stop it first.'));
    }
    const abort = new AbortController();
    this.#running = abort;
    try {
      const repository = await chooseRepository(await findRepositories(), clicked);
      if (repository === undefined) return;
      const model = await this.#needs.requireModel();
      await whileShown(() => this.#stream(repository, model, abort));
    } finally {
      this.#running = undefined;
    }
  }

  /** `aside.stopCommitMessage`: what was in the input before is there again. */
  stop(): void {
    this.#running?.abort();
  }

  async #stream(repository: GitRepository, model: string, abort: AbortController): Promise<void> {
    const { signal } = abort;
    const messages = await this.#prompt(repository, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (messages === undefined) return;
    const input = new MessageInput(repository.inputBox);
    // Where the person writes a message, theirs is the one to keep.
    const onText = (text: string): void => {
      if (!input.add(text)) abort.abort();
    };
    let isComplete = false;
    try {
      const answer = await this.#needs.answers.answer({ messages, model, signal, onText });
      requireWhole(answer);
      if (answer.end === 'finished' && input.isEmpty) throw nothingWritten();
      isComplete = answer.end === 'finished';
    } finally {
      if (!isComplete) input.restore();
    }
  }

  async #prompt(repository: GitRepository, signal: AbortSignal): Promise<WireMessage[]> {
    const diffs = await commitDiffs(repository, signal);
    if (diffs.length === 0) {
      throw new Refusal(
        vscode.l10n.t('There are no changes to commit. Change or stage a file first.'),
      );
    }
    // Before the first commit there is no style to follow.
    const commits = await repository.log({ maxEntries: mostRecent }).catch(() => []);
    const recent = commits.map(({ message }) => message.split('\n', 1)[0] ?? '');
    return commitMessages(diffs, recent, this.#needs.instructions());
  }
}

async function findRepositories(): Promise<readonly GitRepository[]> {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal(
      vscode.l10n.t(
        'In Restricted Mode nothing of this folder is read by itself. Trust the workspace to have a commit message written.',
      ),
    );
  }
  const repositories = await gitRepositories().catch(() => []);
  if (repositories.length > 0) return repositories;
  throw new Refusal(
    vscode.l10n.t(
      'There is no Git repository here. Open a folder that lies in one, then try again.',
    ),
  );
}

function nothingWritten(): Refusal {
  return new Refusal(vscode.l10n.t('The model wrote no commit message. Try again.'));
}

/** Progress where the message appears, and a button there that stops it. */
async function whileShown(work: () => Promise<void>): Promise<void> {
  const tell = (isWriting: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand('setContext', contextKeys.writingCommitMessage, isWriting);
  void tell(true);
  try {
    const location = vscode.ProgressLocation.SourceControl;
    await vscode.window.withProgress({ location }, work);
  } finally {
    void tell(false);
  }
}
