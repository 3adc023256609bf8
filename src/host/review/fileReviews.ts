import * as vscode from 'vscode';
import {
  CodeExtractor,
  CodeIndenter,
  indentOfLines,
  usesTabs,
  WordsReply,
} from '../../core/code/codeExtractor.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { omittingCommentIn } from '../../core/edits/omittedCode.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { fencedCode, linesOf, oneLine } from '../../core/support/text.ts';
import { reviewScheme } from '../contributions.ts';
import { notify, windowDialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { fileChangedError } from '../platform/editorActions.ts';
import { labelFor } from '../platform/location.ts';
import type { OpenReviews } from './openReviews.ts';
import {
  DocumentSubject,
  linesAt,
  NewFileSubject,
  type EditPlace,
  type NewFile,
  type PassGate,
} from './review.ts';

/** Produces the raw text of a reply in chunks, and resolves at its end. */
export type ProduceText = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/** Produces code in whole lines. Resolves at its end; rejects if it fails. */
type ProduceCode = (sink: CodeSink, signal: AbortSignal) => Promise<void>;

interface CodeSink {
  /** Adds whole lines. */
  push(code: string): void;
  /** Drops all code so far. */
  restart(): void;
}

/**
 * Extracts the code of a streamed reply, and indents it for its place. Rejects with a `WordsReply` if
 * it has no code.
 *
 * @throws {UserError} if a comment in the code stands for lines that it would delete
 */
export function codeOfReply(place: EditPlace, produce: ProduceText): ProduceCode {
  return async (sink, signal) => {
    const { document } = place;
    const before = linesAt(place);
    const editor = vscode.window.visibleTextEditors.find(
      (candidate) => candidate.document === document,
    );
    const { insertSpaces = true, tabSize = 4 } = editor?.options ?? {};
    // A new editor has the options of the settings until VS Code has looked at its text.
    const hasTabs = usesTabs(linesOf(document.getText())) ?? insertSpaces === false;
    const unit = hasTabs ? '\t' : ' '.repeat(Number(tabSize));
    const style = { indent: indentOfLines(before), unit };
    let indenter = new CodeIndenter(style);
    let written: string[] = [];
    const push = (code: string): void => {
      written.push(code);
      sink.push(code);
    };
    const extractor = new CodeExtractor(document.languageId, () => {
      indenter = new CodeIndenter(style);
      written = [];
      sink.restart();
    });
    await produce((text) => push(indenter.push(extractor.push(text))), signal);
    const rest = extractor.end();
    push(indenter.push(rest) + indenter.end());
    const omission = omittingCommentIn(before.join('\n'), written.join(''));
    if (omission === undefined) return;
    throw new UserError(
      vscode.l10n.t('The reply leaves out code at “{0}”. Nothing was changed.', omission.trim()),
    );
  };
}

/** Characters of the words that a notification shows. */
const maxShown = 300;

/** Changes of files by commands, which stream into a review and change nothing before a decision. */
export class FileReviews {
  readonly #open: OpenReviews;
  readonly #gate: PassGate;
  readonly #askInChat: (message: UserMessage) => Promise<void>;

  /** @param askInChat sends a message in the chat, for "Ask in Chat" */
  constructor(
    open: OpenReviews,
    gate: PassGate,
    askInChat: (message: UserMessage) => Promise<void>,
  ) {
    this.#open = open;
    this.#gate = gate;
    this.#askInChat = askInChat;
  }

  /**
   * Streams a reply, as code for whole lines of a document, into a review. Resolves when all of it
   * has arrived and the person can decide, or has stopped it. If it has no code, shows its words, and
   * offers to review them as the code, or to send a message in the chat.
   *
   * @param produce calls `onText` with the raw reply; if it rejects, the review is dropped
   * @param message the message for the chat; read only when the person chooses it
   * @param onReject called when the person has rejected all of the change
   * @throws the error of `produce`; a `UserError` if another review of these lines is open, or the
   *   person changed them meanwhile
   */
  stream(
    place: EditPlace,
    produce: ProduceText,
    message: () => UserMessage,
    onReject?: () => void,
  ): Promise<void> {
    const review = (reply: ProduceText): Promise<void> =>
      this.#reviewFile(place, codeOfReply(place, reply), onReject);
    return this.#reviewReply(place.document, produce, review, message);
  }

  /** Like `stream`, for a file that doesn't exist yet. Accepting creates it. */
  streamNew(file: NewFile, produce: ProduceText, message: () => UserMessage): Promise<void> {
    const place = { document: file.like, start: 0, end: 0 };
    const review = async (reply: ProduceText): Promise<void> => {
      const { documents } = this.#open;
      const original = documents.add(file.label, () => '');
      const subject = new NewFileSubject(file, original, this.#gate, systemClock);
      subject.review.onDidChange(() => {
        if (subject.review.hasEnded) documents.remove(original);
      });
      await this.#review(subject, codeOfReply(place, reply));
    };
    return this.#reviewReply(file.like, produce, review, message);
  }

  /** Like `stream`, for complete code. */
  propose(place: EditPlace, code: string): Promise<void> {
    return this.#reviewFile(place, (review) => {
      review.push(code);
      return Promise.resolve();
    });
  }

  /** @throws {UserError} if the lines already have a proposal, or are themselves only proposed */
  async #reviewFile(place: EditPlace, produce: ProduceCode, onReject?: () => void): Promise<void> {
    const { document, start, end } = place;
    const address = document.uri.toString();
    const isTaken = this.#open.all.some(
      ({ subject: { original, proposal } }) =>
        original === address &&
        proposal.hunks.some(({ line, before }) => start <= line + before.length && line <= end),
    );
    if (document.uri.scheme === reviewScheme || isTaken) {
      throw new UserError(
        vscode.l10n.t("There's already a pending change here. Accept or reject it first."),
      );
    }
    await this.#review(new DocumentSubject(place, this.#gate, systemClock, onReject), produce);
  }

  async #review(
    { review, line, signal }: DocumentSubject | NewFileSubject,
    produce: ProduceCode,
  ): Promise<void> {
    const opened = this.#open.open(review, line);
    try {
      // The request doesn't wait for the diff to open.
      const produced = raceAbort(produce(review, signal), signal);
      await Promise.all([opened, produced]);
      signal.throwIfAborted();
    } catch (error) {
      const isStopped = signal.aborted && !(signal.reason instanceof UserError);
      review.drop();
      // The first error counts.
      await orUndefined(opened);
      if (isStopped) return;
      throw signal.reason instanceof UserError ? signal.reason : error;
    }
    if (review.endStream()) {
      this.#open.revealFirst(review);
      return;
    }
    review.drop();
    windowDialogs.showInformation(vscode.l10n.t('No changes suggested.'));
  }

  /** @param review rejects with a {@link WordsReply} if the reply has no code */
  async #reviewReply(
    document: vscode.TextDocument,
    produce: ProduceText,
    review: (produce: ProduceText) => Promise<void>,
    message: () => UserMessage,
  ): Promise<void> {
    const before = document.getText();
    try {
      await review(produce);
    } catch (error) {
      if (!(error instanceof WordsReply)) throw error;
      const { words, code } = error;
      const useAsCode = async (text: string): Promise<void> => {
        // The lines may have changed while the person was reading.
        if (document.getText() !== before) throw fileChangedError(labelFor(document.uri));
        await review((onText) => {
          onText(fencedCode(text));
          return Promise.resolve();
        });
      };
      // Not awaited, so that the command ends while the person reads.
      background(
        offerWords(words, code === undefined ? undefined : () => useAsCode(code), () =>
          this.#askInChat(message()),
        ),
      );
    }
  }
}

/** Shows the words of a reply without code, with what can be done with them. */
async function offerWords(
  words: string,
  useAsCode: (() => Promise<void>) | undefined,
  askInChat: () => Promise<void>,
): Promise<void> {
  const use = vscode.l10n.t('Use as Code');
  const ask = vscode.l10n.t('Ask in Chat');
  const excerpt = oneLine(words, maxShown);
  let message = vscode.l10n.t('The reply is empty. Nothing was changed.');
  if (words.trim() !== '') {
    message =
      useAsCode === undefined
        ? vscode.l10n.t('The reply has no code. Nothing was changed. {0}', excerpt)
        : vscode.l10n.t("The reply isn't in a code block. Nothing was changed. {0}", excerpt);
  }
  const buttons = useAsCode === undefined ? [ask] : [use, ask];
  const chosen = await notify('information', message, ...buttons);
  try {
    if (chosen === use) await useAsCode?.();
    else if (chosen === ask) await askInChat();
  } catch (error) {
    // The chat shows errors of the reply itself. Other errors are about sending or reviewing.
    const reason = error instanceof Error ? error.message : String(error);
    background(notify('error', oneLine(reason)));
  }
}
