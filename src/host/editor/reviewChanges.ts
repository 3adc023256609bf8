import * as vscode from 'vscode';
import {
  planReview,
  type ReviewPlan,
  ReviewReader,
  type ReviewRequest,
} from '../../core/code/changeReview.ts';
import { ThinkSplitter, type ReplySegment } from '../../core/service/thinkSplitter.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { oneLine } from '../../core/support/text.ts';
import { background } from '../../core/support/background.ts';
import { requireComplete, textOfMessages, type CommandRequests } from './textGenerator.ts';
import { chooseRepository, commitDiffs } from './commitDiffs.ts';
import { notify, type Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import type { GitRepository, ReadRepository } from '../platform/git.ts';
import type { CommentThreads } from './commentThreads.ts';

/** Characters of a reply without comments that a notification shows. */
const maxShownWords = 300;

interface Findings {
  comments: number;
  readonly files: Set<string>;
  unplaced: number;
  words: string;
}

/** `aside.reviewChanges`: a model comments on the changes, one review at a time. */
export class ReviewChanges {
  readonly #threads: CommentThreads;
  readonly #requests: CommandRequests;
  readonly #readRepository: ReadRepository;
  readonly #tokensOf: (characters: number) => number;
  readonly #dialogs: Dialogs;
  #isRunning = false;

  constructor(
    threads: CommentThreads,
    requests: CommandRequests,
    readRepository: ReadRepository,
    tokensOf: (characters: number) => number,
    dialogs: Dialogs,
  ) {
    this.#threads = threads;
    this.#requests = requests;
    this.#readRepository = readRepository;
    this.#tokensOf = tokensOf;
    this.#dialogs = dialogs;
  }

  /** @param clicked the argument that the Source Control view passes to its buttons */
  async run(clicked: unknown): Promise<void> {
    if (this.#isRunning) {
      throw new UserError(vscode.l10n.t('Changes are already being reviewed. Cancel that first.'));
    }
    this.#isRunning = true;
    try {
      const repository = await chooseRepository(clicked, {
        untrusted: vscode.l10n.t('Trust this workspace to review its changes.'),
        several: vscode.l10n.t('Select the repository to review'),
      });
      if (repository === undefined) return;
      const model = await this.#requests.model();
      const title = vscode.l10n.t('Reviewing changes…');
      await this.#dialogs.progress(title, (signal) => this.#review(repository, model, signal));
    } finally {
      this.#isRunning = false;
    }
  }

  async #review(repository: GitRepository, model: string, signal: AbortSignal): Promise<void> {
    const plan = await this.#plan(repository, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (plan === undefined || !(await this.#confirm(plan)) || signal.aborted) return;
    const { rootUri } = repository;
    const findings = { comments: 0, files: new Set<string>(), unplaced: 0, words: '' };
    this.#threads.beginReview();
    try {
      for (const request of plan.requests) {
        if (!(await this.#request(request, rootUri, model, signal, findings))) return;
      }
    } catch (error) {
      // Earlier comments stay, and are reported in addition to the error.
      if (findings.comments > 0) this.#tell(findings, plan);
      throw error;
    }
    this.#tell(findings, plan);
  }

  /** Undefined, after a message, if there is nothing to review. */
  async #plan(repository: GitRepository, signal: AbortSignal): Promise<ReviewPlan | undefined> {
    const reader = await this.#readRepository(repository.rootUri.fsPath);
    const diffs = await commitDiffs(repository, reader, this.#requests.maySend, signal);
    const plan = planReview(diffs, this.#requests.instructions);
    if (plan.requests.length > 0) return plan;
    this.#dialogs.showInformation(
      diffs.length === 0
        ? vscode.l10n.t('There are no changes to review.')
        : vscode.l10n.t(
            'None of the changes can be reviewed: the files are deleted, binary, too long, or may contain secrets.',
          ),
    );
    return undefined;
  }

  /** Asks before a review that is more than one request. */
  async #confirm({ requests }: ReviewPlan): Promise<boolean> {
    if (requests.length === 1) return true;
    const files = requests.reduce((sum, request) => sum + request.files.length, 0);
    const characters = requests.reduce(
      (sum, { messages }) => sum + textOfMessages(messages).length,
      0,
    );
    return this.#dialogs.confirm(
      counted(
        vscode.l10n.t('Review {0} files in {1} requests?'),
        files,
        vscode.env.language,
        files,
        requests.length,
      ),
      vscode.l10n.t(
        'Estimated tokens to send: {0}',
        formatTokens(this.#tokensOf(characters), true),
      ),
      vscode.l10n.t('Review'),
    );
  }

  /** Adds the comments of a reply as they come. Resolves with whether it ended by itself. */
  async #request(
    { files, messages }: ReviewRequest,
    rootUri: vscode.Uri,
    model: string,
    signal: AbortSignal,
    findings: Findings,
  ): Promise<boolean> {
    const threads = this.#threads;
    const splitter = new ThinkSplitter();
    let reader = new ReviewReader(files);
    let adding = Promise.resolve();
    let commented: string[] = [];
    const read = (segments: readonly ReplySegment[]): void => {
      for (const segment of segments) {
        if (segment.type === 'thought-end') {
          // Comments of the thought become those of an earlier review, which this one replaces.
          adding = adding.then(() => threads.beginReview());
          reader = new ReviewReader(files);
          commented = [];
        }
        for (const comment of segment.type === 'text' ? reader.push(segment.text) : []) {
          commented.push(comment.path);
          const uri = vscode.Uri.joinPath(rootUri, comment.path);
          adding = adding.then(() => threads.add(uri, comment, model));
        }
      }
    };
    try {
      const reply = await this.#requests.generate({
        messages,
        model,
        signal,
        purpose: 'review',
        onText: (text) => read(splitter.push(text)),
        about: files.map(({ path }) => vscode.Uri.joinPath(rootUri, path)),
      });
      if (reply.end === 'stopped') return false;
      requireComplete(reply);
    } finally {
      read(splitter.end());
      await adding;
      findings.comments += commented.length;
      for (const path of commented) findings.files.add(path);
      findings.unplaced += reader.leftOut;
    }
    for (const { path } of files) threads.deleteEarlier(vscode.Uri.joinPath(rootUri, path));
    if (commented.length === 0) findings.words ||= reader.words;
    return true;
  }

  #tell({ comments, files, unplaced, words }: Findings, { requests, leftOut }: ReviewPlan): void {
    const reviewed = requests.reduce((sum, request) => sum + request.files.length, 0);
    const notes = [
      ...(unplaced === 0
        ? []
        : [vscode.l10n.t('Comments outside changed lines were skipped: {0}.', unplaced)]),
      ...(leftOut === 0
        ? []
        : [
            vscode.l10n.t(
              'Files only partly reviewed because they are too long or may contain secrets: {0}.',
              leftOut,
            ),
          ]),
    ];
    if (comments === 0) {
      this.#dialogs.showInformation([nothingText(words, unplaced, reviewed), ...notes].join(' '));
      return;
    }
    const show = vscode.l10n.t('Show Comments');
    const message = [foundText(comments, files.size), ...notes].join(' ');
    // The review doesn't wait for the answer.
    background(
      notify('information', message, show).then(async (chosen) => {
        if (chosen === show)
          await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
      }),
    );
  }
}

function foundText(comments: number, files: number): string {
  if (comments === 1) return vscode.l10n.t('The review has 1 comment.');
  const { language } = vscode.env;
  if (files === 1)
    return counted(vscode.l10n.t('The review has {0} comments in 1 file.'), comments, language);
  const several = vscode.l10n.t('The review has {0} comments in {1} files.');
  return counted(several, comments, language, comments, files);
}

function nothingText(words: string, unplaced: number, files: number): string {
  if (words !== '')
    return vscode.l10n.t('The reply has no comments. {0}', oneLine(words, maxShownWords));
  if (unplaced > 0) return vscode.l10n.t('The review has no comments that can be shown.');
  return files === 1
    ? vscode.l10n.t('No problems found in 1 changed file.')
    : counted(vscode.l10n.t('No problems found in {0} changed files.'), files, vscode.env.language);
}
