import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { PersonGate } from '../approval/personGate.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { ContextFeature } from '../context/feature.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { InstructionBox } from '../instructionBox.ts';
import type { PassGate } from '../review/review.ts';
import { FileReviews } from '../review/fileReviews.ts';
import type { OpenReviews } from '../review/openReviews.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { PromptTerminals } from '../terminal/promptTerminals.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import { findWorkspaceFile } from '../workspace/workspaceFile.ts';
import { ChatCommands, isFailedTest } from './chatCommands.ts';
import { EditCommands } from './editCommands.ts';
import { editorValues, nothingSent, PromptFiles } from './promptFiles.ts';
import { ReplyActions } from './replyActions.ts';
import {
  activeEditorCode,
  runAtCursor,
  expandCommand,
  listCommands,
  type ExpandedMessage,
  type SlashCommandsOptions,
} from './slashCommands.ts';
import { CodeRequests, createWindowGenerator } from './textGenerator.ts';

export interface CodeNeeds {
  readonly connection: ConnectionFeature;
  readonly context: ContextFeature;
  readonly reviews: OpenReviews;
  readonly askInChat: (message: UserMessage) => Promise<void>;
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
  const asking = new ChatCommands(maySend, askInChat);
  const texts = new ReadOnlyDocuments('aside-edit');
  const gate = createGate(window, texts);
  const reviews = new FileReviews(needs.reviews, gate, systemClock, askInChat);
  const requests = new CodeRequests(
    createWindowGenerator(window, connection, needs.context),
    () => connection.modelFor('edit'),
    maySend,
    () => settings.current().instructions,
  );
  const editing = new EditCommands(
    reviews,
    requests,
    windowDialogs,
    context.globalState,
    window.node?.isLocked,
  );
  const replies = new ReplyActions(
    reviews,
    requests,
    gate,
    (path) => findWorkspaceFile(path, window.node?.machine()),
    connection.tokensOf,
    new PromptTerminals(systemClock),
    texts,
  );
  const prompts = new PromptFiles(context.globalStorageUri, systemClock);
  const expansion = createExpansion(needs, prompts);
  return {
    commands: { retryEdit: () => editing.retry() },
    replies,
    slashCommands: () => listCommands(expansion),
    expand: (message) => expandCommand(message, expansion),
    run: (name, argument, opened) =>
      codeCommands[name].result === 'chat' || isFailedTest(argument)
        ? asking.run(name, argument)
        : editing.run(name, argument, opened),
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
