import type * as vscode from 'vscode';
import { codeCommands, type CodeCommand, type CodeCommandName } from '../core/code/codeCommands.ts';
import type { UserMessage } from '../core/conversation/conversation.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import type { Chat } from '../host/chat/chat.ts';
import { ChatCommands } from '../host/code/chatCommands.ts';
import { EditCommands } from '../host/code/editCommands.ts';
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
import type { InlineEdits } from '../host/inlineEdit/inlineEdits.ts';
import { OpenEdits } from '../host/inlineEdit/openEdits.ts';
import { thisMachine } from '../host/node/thisMachine.ts';
import type { Settings } from '../host/settings.ts';
import { explainTerminal } from '../host/terminal/explainTerminal.ts';
import { FailedCommands } from '../host/terminal/failedCommands.ts';
import { findWorkspaceFile } from '../host/workspace/workspaceFile.ts';

export interface CodeFeaturesOptions {
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'globalStorageUri'>;
  readonly service: ServiceAccess;
  readonly settings: Settings;
  readonly requireModel: () => Promise<string>;
  readonly maySend: MaySend;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  readonly chat: Pick<Chat, 'send'>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** All commands on code: a script of its own, which is loaded by the first of them. */
export interface CodeFeatures extends Disposable {
  /** Changes of documents that a person reviews where they are made. */
  readonly edits: InlineEdits;
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
   */
  run(name: CodeCommandName, given: unknown): Promise<void>;
  /** `aside.explainTerminal` */
  explainTerminal(): Promise<void>;
}

type RunOnCode = (name: CodeCommandName, given: unknown) => Promise<void>;

/** Makes every object of it once and ties them together. */
export function createCodeFeatures(options: CodeFeaturesOptions): CodeFeatures {
  const { context, chat, settings, requireModel, maySend, tokensOf, reveal } = options;
  const edits = new OpenEdits();
  const generator = createTextGenerator({ ...options, clock: systemClock });
  const machine = thisMachine();
  const instructions = (): string => settings.current().instructions;
  const shared = { edits, generator, maySend, requireModel, instructions };
  const editing = new EditCommands({
    ...shared,
    askInstruction: () => askInstruction(context.globalState),
  });
  const replies = createReplyActions({
    edits,
    generator,
    maySend,
    requireModel,
    instructions,
    tokensOf,
    clock: systemClock,
    find: (path) => findWorkspaceFile(path, machine),
  });
  const failed = new FailedCommands();
  const reserved = Object.keys(codeCommands);
  const prompts = new PromptFiles(context.globalStorageUri, reserved, systemClock);
  const asking = new ChatCommands({ chat, maySend, requireModel, reveal });
  const runners: Readonly<Record<CodeCommand['result'], RunOnCode>> = {
    chat: (name, given) => asking.run(name, given),
    edit: (name, given) => editing.run(name, given),
    tests: (name, given) => writeTests(shared, name, given),
  };
  return {
    edits,
    replies,
    run: (name, given) => runners[codeCommands[name].result](name, given),
    slashCommands: () => listCommands(prompts),
    commitMessage: new CommitMessage({ generator, maySend, requireModel, instructions }),
    expand: (message) =>
      expandCommand(message, { prompts, code: () => activeEditorCode(maySend), run: runAtCursor }),
    explainTerminal: () => explainTerminal({ failed, ask: (message) => asking.ask(message) }),
    dispose: () => disposeAll([edits, replies, failed]),
  };
}
