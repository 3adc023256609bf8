import type * as vscode from 'vscode';
import { codeCommands, type CodeCommand, type CodeCommandName } from '../core/code/codeCommands.ts';
import type { UserMessage } from '../core/conversation/conversation.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import { PersonGate } from '../host/approval/personGate.ts';
import type { Chat } from '../host/chat/chat.ts';
import { ChatCommands } from '../host/code/chatCommands.ts';
import { EditCommands } from '../host/code/editCommands.ts';
import type { InstructionBox } from '../host/instructionBox.ts';
import { askInstruction } from '../host/code/instructionInput.ts';
import { PromptFiles } from '../host/code/promptFiles.ts';
import { createReplyActions, type ReplyActions } from '../host/code/replyActions.ts';
import {
  activeEditorCode,
  runAtCursor,
  expandCommand,
  listCommands,
} from '../host/code/slashCommands.ts';
import { createTextGenerator, type MaySend } from '../host/code/textGenerator.ts';
import { writeTests } from '../host/code/writeTests.ts';
import { CommitMessage } from '../host/commit/commitMessage.ts';
import type { ServiceAccess } from '../host/connection/serviceAccess.ts';
import type { Log } from '../host/log.ts';
import type { PassGate } from '../host/review/fileReview.ts';
import { FileReviews } from '../host/review/fileReviews.ts';
import type { OpenReviews } from '../host/review/openReviews.ts';
import { ReviewDiff } from '../host/review/reviewDiff.ts';
import type { ModelPurpose } from '../host/settingValues.ts';
import type { Settings } from '../host/settings.ts';
import type { RunningRequests } from '../host/usage/runningRequests.ts';
import { explainTerminal } from '../host/terminal/explainTerminal.ts';
import { FailedCommands } from '../host/terminal/failedCommands.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';
import { findWorkspaceFile } from '../host/workspace/workspaceFile.ts';
import { machineHere } from './node/machine.ts';

export interface CodeFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly reviews: OpenReviews;
  readonly service: ServiceAccess;
  readonly running: RunningRequests;
  readonly settings: Settings;
  readonly requireModel: () => Promise<string>;
  /** The same for a purpose that may have a model of its own. */
  readonly modelFor: (purpose: ModelPurpose) => () => Promise<string>;
  readonly maySend: MaySend;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  readonly chat: Pick<Chat, 'send'>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** All commands on code: a script of its own, which is loaded by the first of them. */
export interface CodeFeatures extends Disposable {
  /** What the buttons of code in replies do. */
  readonly replies: ReplyActions;
  /** Writes messages into the input of Source Control. */
  readonly commitMessage: CommitMessage;
  /** What can be typed after a slash. */
  slashCommands(): ReturnType<typeof listCommands>;
  /** What a message that begins with a slash asks: see `expandCommand`. */
  expand(message: UserMessage): Promise<UserMessage | undefined>;
  /**
   * Runs a command on code.
   * @param given what it is about; the code at the cursor where that is no `CodeCommandArgument`
   * @param opened the box that asks for an instruction, where it is open already
   */
  run(name: CodeCommandName, given: unknown, opened?: InstructionBox): Promise<void>;
  /** `aside.explainTerminal` */
  explainTerminal(): Promise<void>;
}

type RunOnCode = CodeFeatures['run'];

/** Makes every object of it once and ties them together. */
export function createCodeFeatures(options: CodeFeaturesOptions): CodeFeatures {
  const { context, chat, settings, maySend, tokensOf, reveal } = options;
  const requireModel = options.modelFor('edit');
  const generator = createTextGenerator({ ...options, clock: systemClock });
  const machine = machineHere();
  const instructions = (): string => settings.current().instructions;
  const asking = new ChatCommands({ chat, maySend, requireModel: options.requireModel, reveal });
  const askInChat = (message: UserMessage): Promise<void> => asking.ask(message);
  const texts = new ReadOnlyDocuments('aside-edit');
  const gate = createGate(options, texts);
  const reviews = new FileReviews({ reviews: options.reviews, gate, clock: systemClock });
  const shared = { reviews, generator, maySend, requireModel, instructions, askInChat };
  const editing = new EditCommands({
    ...shared,
    askInstruction: (opened) => askInstruction(context.globalState, opened),
  });
  const replies = createReplyActions({
    reviews,
    gate,
    generator,
    maySend,
    requireModel,
    instructions,
    tokensOf,
    askInChat,
    clock: systemClock,
    texts,
    find: (path) => findWorkspaceFile(path, machine),
  });
  const failed = new FailedCommands();
  const reserved = Object.keys(codeCommands);
  const prompts = new PromptFiles(context.globalStorageUri, reserved, systemClock);
  const runners: Readonly<Record<CodeCommand['result'], RunOnCode>> = {
    chat: (name, given) => asking.run(name, given),
    edit: (name, given, opened) => editing.run(name, given, opened),
    tests: (name, given) => writeTests(shared, name, given),
  };
  return {
    replies,
    run: (name, given, opened) => runners[codeCommands[name].result](name, given, opened),
    slashCommands: () => listCommands(prompts),
    commitMessage: new CommitMessage({
      generator,
      maySend,
      requireModel: options.modelFor('commit'),
      instructions,
    }),
    expand: (message) =>
      expandCommand(message, { prompts, code: () => activeEditorCode(maySend), run: runAtCursor }),
    explainTerminal: () => explainTerminal({ failed, ask: askInChat }),
    dispose: () => disposeAll([texts, replies, failed]),
  };
}

/** The gate that every change by a command passes, and the dialogs that it asks with. */
function createGate({ context, log }: CodeFeaturesOptions, documents: ReadOnlyDocuments): PassGate {
  const gate = new PersonGate({
    context,
    machine: machineHere(),
    clock: systemClock,
    diff: new ReviewDiff(documents),
    documents,
    onError: (error) => log.error('Checking whether a file may be changed', error),
  });
  return (edit, effect) => gate.pass(edit, effect);
}
