import * as vscode from 'vscode';
import {
  codeCommands,
  type CodeCommand,
  type CodeCommandName,
} from '../../core/code/codeCommands.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { PersonGate } from '../approval/personGate.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { ContextFeature } from '../context/feature.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { InstructionBox } from '../instructionBox.ts';
import type { PassGate } from '../review/fileReview.ts';
import { FileReviews } from '../review/fileReviews.ts';
import type { OpenReviews } from '../review/openReviews.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { isReadOnly, findWorkspaceFile } from '../workspace/files.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import { ChatCommands } from './chatCommands.ts';
import { EditCommands } from './editCommands.ts';
import { askAboutTest, isFailedTest } from './failedTest.ts';
import { askInstruction } from './instructionInput.ts';
import { PromptFiles } from './promptFiles.ts';
import { editorValues, nothingSent } from './promptValues.ts';
import { createReplyActions, type ReplyActions } from './replyActions.ts';
import {
  activeEditorCode,
  runAtCursor,
  expandCommand,
  listCommands,
  type ExpandedMessage,
  type SlashCommandsOptions,
} from './slashCommands.ts';
import { createWindowGenerator } from './textGenerator.ts';
import type { AskInChat } from './wordsReply.ts';
import { writeTests } from './writeTests.ts';

export interface CodeNeeds {
  readonly connection: ConnectionFeature;
  readonly context: ContextFeature;
  readonly reviews: OpenReviews;
  readonly askInChat: AskInChat;
}

export interface CodeFeature extends Disposable {
  readonly commands: CommandsOf<'code'>;
  readonly replies: ReplyActions;
  readonly slashCommands: () => ReturnType<typeof listCommands>;
  /** Expands a message that begins with a slash: see `expandCommand`. */
  readonly expand: (message: UserMessage) => Promise<ExpandedMessage | undefined>;
  /**
   * Runs a command on code.
   *
   * @param argument a `CodeCommandArgument`; any other value means the code at the cursor
   * @param opened the instruction box, if it is open already
   */
  readonly run: (
    name: CodeCommandName,
    argument: unknown,
    opened?: InstructionBox,
  ) => Promise<void>;
}

export function createCode(window: HostWindow, needs: CodeNeeds): CodeFeature {
  const { context, settings } = window;
  const { connection, askInChat } = needs;
  const { maySend } = needs.context;
  const asking = new ChatCommands({ maySend, ask: askInChat });
  const texts = new ReadOnlyDocuments('aside-edit');
  const gate = createGate(window, texts);
  const shared = {
    reviews: new FileReviews({ reviews: needs.reviews, gate, clock: systemClock }),
    generator: createWindowGenerator(window, connection, needs.context),
    maySend,
    requireModel: () => connection.modelFor('edit'),
    instructions: () => settings.current().instructions,
    askInChat,
  };
  const editing = new EditCommands({
    ...shared,
    isReadOnly: (document) => isReadOnly(document, window.node?.isLocked),
    askInstruction: (opened) => askInstruction(context.globalState, opened),
    askNote: () =>
      windowDialogs.prompt({
        title: vscode.l10n.t('Try Again with a Note…'),
        prompt: vscode.l10n.t('What should be different?'),
        check: () => undefined,
      }),
  });
  const replies = createReplyActions({
    ...shared,
    gate,
    tokensOf: connection.tokensOf,
    clock: systemClock,
    texts,
    find: (path) => findWorkspaceFile(path, window.node?.machine()),
  });
  const prompts = new PromptFiles(context.globalStorageUri, systemClock);
  const expansion = createExpansion(needs, prompts);
  const runners: Readonly<Record<CodeCommand['result'], CodeFeature['run']>> = {
    chat: (name, argument) => asking.run(name, argument),
    edit: (name, argument, opened) => editing.run(name, argument, opened),
    tests: (name, argument) => writeTests(shared, name, argument),
  };
  return {
    commands: { retryEdit: () => editing.retry() },
    replies,
    slashCommands: () => listCommands(expansion),
    expand: (message) => expandCommand(message, expansion),
    run: (name, argument, opened) =>
      isFailedTest(argument)
        ? askAboutTest(name, argument, asking)
        : runners[codeCommands[name].result](name, argument, opened),
    dispose: () => disposeAll([texts, replies]),
  };
}

function createExpansion(
  { connection, context: { maySend, offers, skills } }: CodeNeeds,
  prompts: PromptFiles,
): SlashCommandsOptions {
  return {
    prompts,
    skills,
    code: () => activeEditorCode(maySend),
    run: runAtCursor,
    variables: editorValues(maySend, windowDialogs),
    async acceptModel(offer, isEdit) {
      const current = await (isEdit ? connection.modelFor('edit') : connection.requireModel());
      const accepted = await offers.accept(offer, current);
      if (accepted === undefined) throw nothingSent();
      return accepted.model;
    },
  };
}

/** The gate for all changes by commands, with its dialogs. */
function createGate({ context, node, log }: HostWindow, documents: ReadOnlyDocuments): PassGate {
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
