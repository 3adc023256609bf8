import type * as vscode from 'vscode';
import { codeCommands, type CodeCommand, type CodeCommandName } from '../core/code/codeCommands.ts';
import type { UserMessage } from '../core/conversation/conversation.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import { maskSecrets } from '../core/support/secretTokens.ts';
import { workspaceIdentity } from '../core/workspace/disk.ts';
import { PersonGate } from '../host/approval/personGate.ts';
import type { Chat } from '../host/chat/chat.ts';
import { ChatCommands } from '../host/code/chatCommands.ts';
import { EditCommands } from '../host/code/editCommands.ts';
import type { InstructionBox } from '../host/instructionBox.ts';
import { askInstruction } from '../host/code/instructionInput.ts';
import type { Consents } from '../host/approval/consents.ts';
import { FileOffers } from '../host/code/fileOffers.ts';
import { Presets } from '../host/presets/presets.ts';
import { askAboutTest, isFailedTest } from '../host/code/failedTest.ts';
import { PromptFiles } from '../host/code/promptFiles.ts';
import { editorValues, nothingSent } from '../host/code/promptValues.ts';
import { createReplyActions, type ReplyActions } from '../host/code/replyActions.ts';
import {
  activeEditorCode,
  runAtCursor,
  expandCommand,
  listCommands,
  type ExpandedMessage,
  type SlashCommandsOptions,
} from '../host/code/slashCommands.ts';
import { createTextGenerator, type MaySend } from '../host/code/textGenerator.ts';
import { writeTests } from '../host/code/writeTests.ts';
import { CommitMessage } from '../host/commit/commitMessage.ts';
import type { ServiceAccess } from '../host/connection/serviceAccess.ts';
import { windowDialogs } from '../host/dialogs.ts';
import type { Log } from '../host/log.ts';
import type { PassGate } from '../host/review/fileReview.ts';
import { FileReviews } from '../host/review/fileReviews.ts';
import type { InstructionFile } from '../core/turn/messagePieces.ts';
import type { OpenReviews } from '../host/review/openReviews.ts';
import { ReviewDiff } from '../host/review/reviewDiff.ts';
import { settingsOfModel, type ModelPurpose } from '../host/settingValues.ts';
import type { Settings } from '../host/settings.ts';
import type { RunningRequests } from '../host/usage/runningRequests.ts';
import {
  explainLastCommand,
  explainTask,
  explainTerminal,
} from '../host/terminal/explainTerminal.ts';
import type { FailedTask } from '../host/terminal/taskNotices.ts';
import type { TerminalCommands } from '../host/terminal/terminalCommands.ts';
import { noRepository } from '../host/workspace/git.ts';
import { workspaceFolders, type Machine } from '../host/workspace/location.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';
import { findWorkspaceFile } from '../host/workspace/workspaceFile.ts';
import { createCommentFeatures, type CommentFeatures } from './comments.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

export interface CodeFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly reviews: OpenReviews;
  readonly service: ServiceAccess;
  readonly running: RunningRequests;
  readonly terminals: TerminalCommands;
  readonly settings: Settings;
  readonly requireModel: () => Promise<string>;
  /** Like `requireModel`, for a purpose that may have a model of its own. */
  readonly modelFor: (purpose: ModelPurpose) => () => Promise<string>;
  readonly consents: Consents;
  readonly maySend: MaySend;
  /** Instruction files that were allowed before, for a request about some files. */
  readonly instructionsFor: (about: readonly vscode.Uri[]) => Promise<readonly InstructionFile[]>;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  /** Called after reading the file of a preset that has changed. */
  readonly onPresetChange: () => void;
  /** True if the service is known not to have a model. */
  readonly lacks: (model: string) => boolean;
  readonly chat: Pick<Chat, 'send'>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** All commands on code: modules that run when the first of them is used. */
export interface CodeFeatures extends Disposable {
  /** Actions of the buttons on code in replies. */
  readonly replies: ReplyActions;
  /** Writes commit messages into the input of Source Control. */
  readonly commitMessage: CommitMessage;
  /** A model's review comments on changes. */
  readonly comments: CommentFeatures;
  readonly presets: Presets;
  /** The commands that can be typed after a slash. */
  slashCommands(): ReturnType<typeof listCommands>;
  /** Expands a message that begins with a slash: see `expandCommand`. */
  expand(message: UserMessage): Promise<ExpandedMessage | undefined>;
  /**
   * Runs a command on code.
   * @param argument a `CodeCommandArgument`; anything else means the code at the cursor
   * @param opened the box that asks for an instruction, if it is open already
   */
  run(name: CodeCommandName, argument: unknown, opened?: InstructionBox): Promise<void>;
  /** `aside.explainTerminal` */
  explainTerminal(): Promise<void>;
  /** `aside.explainLastCommand` */
  explainLastCommand(): Promise<void>;
  /** Explains a task that failed. */
  explainTask(task: FailedTask): Promise<void>;
}

type RunOnCode = CodeFeatures['run'];

export function createCodeFeatures(options: CodeFeaturesOptions): CodeFeatures {
  const { context, chat, settings, maySend, tokensOf, reveal } = options;
  const requireModel = options.modelFor('edit');
  const generator = createTextGenerator({ ...options, clock: systemClock });
  const machine = options.node?.machine();
  const instructions = (): string => settings.current().instructions;
  const asking = new ChatCommands({ chat, maySend, requireModel: options.requireModel, reveal });
  const askInChat = (message: UserMessage): Promise<void> => asking.ask(message);
  const texts = new ReadOnlyDocuments('aside-edit');
  const gate = createGate(options, texts);
  const reviews = new FileReviews({ reviews: options.reviews, gate, clock: systemClock });
  const shared = { reviews, generator, maySend, requireModel, instructions, askInChat };
  const readRepository = options.node?.readRepository ?? noRepository;
  const onChanges = { generator, maySend, readRepository, instructions };
  const editing = new EditCommands({
    ...shared,
    askInstruction: (opened) => askInstruction(context.globalState, opened),
  });
  const find = (path: string): ReturnType<typeof findWorkspaceFile> =>
    findWorkspaceFile(path, machine);
  const replies = createReplyActions({
    ...shared,
    ...{ gate, tokensOf, clock: systemClock, texts, find },
  });
  const comments = createCommentFeatures(context, {
    ...{ ...onChanges, tokensOf, requireModel: options.requireModel },
    edit: (target) => editing.run('edit', target),
  });
  const { terminals: commands } = options;
  const reserved = Object.keys(codeCommands);
  const prompts = new PromptFiles(context.globalStorageUri, reserved, systemClock);
  const offers = createFileOffers(options);
  const expansion = createExpansion(options, prompts, offers);
  const presets = createPresets(options, offers, machine);
  const runners: Readonly<Record<CodeCommand['result'], RunOnCode>> = {
    chat: (name, argument) => asking.run(name, argument),
    edit: (name, argument, opened) => editing.run(name, argument, opened),
    tests: (name, argument) => writeTests(shared, name, argument),
  };
  return {
    replies,
    presets,
    run: (name, argument, opened) =>
      isFailedTest(argument)
        ? askAboutTest(name, argument, asking)
        : runners[codeCommands[name].result](name, argument, opened),
    slashCommands: () => listCommands(prompts),
    commitMessage: new CommitMessage({
      ...onChanges,
      requireModel: options.modelFor('commit'),
    }),
    comments,
    expand: (message) => expandCommand(message, expansion),
    explainTerminal: () => explainTerminal({ commands, ask: askInChat }),
    explainLastCommand: () => explainLastCommand({ commands, ask: askInChat }),
    explainTask: (task) => explainTask(task, { commands, ask: askInChat }),
    dispose: () => disposeAll([texts, replies, comments, presets]),
  };
}

function createPresets(
  { context, redactor, onPresetChange }: CodeFeaturesOptions,
  offers: FileOffers,
  machine: Machine | undefined,
): Presets {
  const redact = (text: string): string => maskSecrets(redactor.redact(text)).text;
  const workspace = identityOf(machine);
  const presets = new Presets({ storage: context.globalStorageUri, offers, workspace, redact });
  presets.onDidChange(onPresetChange);
  return presets;
}

function identityOf(machine: Machine | undefined): () => Promise<string> {
  return () => workspaceIdentity(workspaceFolders(), machine?.view);
}

function createExpansion(
  options: CodeFeaturesOptions,
  prompts: PromptFiles,
  offers: FileOffers,
): SlashCommandsOptions {
  const { maySend, modelFor, requireModel } = options;
  return {
    prompts,
    code: () => activeEditorCode(maySend),
    run: runAtCursor,
    variables: editorValues(maySend, windowDialogs),
    async acceptModel(offer, isEdit) {
      const current = await (isEdit ? modelFor('edit')() : requireModel());
      const accepted = await offers.accept(offer, current);
      if (accepted === undefined) throw nothingSent();
      return accepted.model;
    },
  };
}

/** Asks before files of the workspace or of the person choose a model or options. */
function createFileOffers({ consents, settings, lacks }: CodeFeaturesOptions): FileOffers {
  return new FileOffers({
    consents,
    dialogs: windowDialogs,
    priceOf: (model) => settingsOfModel(settings.current(), model).price,
    currency: () => settings.current().currency,
    lacks,
  });
}

/** The gate that every change by a command passes, and the dialogs that it asks with. */
function createGate(
  { context, node, log }: CodeFeaturesOptions,
  documents: ReadOnlyDocuments,
): PassGate {
  const gate = new PersonGate({
    context,
    machine: node?.machine(),
    clock: systemClock,
    diff: new ReviewDiff(documents),
    documents,
    onError: (error) => log.error('Checking whether a file may be changed', error),
  });
  return (edit, effect) => gate.pass(edit, effect);
}
