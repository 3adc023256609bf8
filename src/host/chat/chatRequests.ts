import * as vscode from 'vscode';
import { canContinue, type Turn } from '../../core/conversation/conversation.ts';
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import type { Call, Handlers, RequestName } from '../../protocol/rpc.ts';
import type { PanelDecision } from '../approval/panelDecisions.ts';
import { commands } from '../contributions.ts';
import { UserError } from '../errors.ts';
import type { Chat } from './chat.ts';
import type { ChatFinder } from './chatFinder.ts';
import type { ConversationStore } from '../journal/conversationStore.ts';
import type { EditedMessages } from './editedMessages.ts';
import type { FileRestores } from './fileRestores.ts';
import type { ChatImages } from './imageFiles.ts';
import { modelToRetry } from '../../core/turn/nextTurn.ts';
import { chatIsGone, messageIsGone, replyRuns } from './storeMessages.ts';

export interface ChatRequestsOptions {
  readonly chat: Chat;
  readonly store: ConversationStore;
  readonly edits: EditedMessages;
  readonly restores: FileRestores;
  readonly finder: ChatFinder;
  readonly images: ChatImages;
  /** The selected model. Lets the person connect and select one first; rejects if they cancel. */
  readonly requireModel: (mode?: ChatMode) => Promise<string>;
  readonly pickModel: () => Promise<string | undefined>;
}

type ChatRequestName =
  | 'stop'
  | 'retry'
  | 'retry-without-tools'
  | 'continue'
  | 'resume'
  | 'edit-message'
  | 'stop-editing'
  | 'resend'
  | 'find-restorable'
  | 'restore-files'
  | 'select-version'
  | 'use-summary'
  | 'fork'
  | 'continue-in-copy'
  | 'reload-chat'
  | 'open-chat'
  | 'set-options'
  | 'find'
  | 'read-image';

/** Handles requests about the turns and the options of a chat. */
export function chatRequests({
  chat,
  store,
  edits,
  restores,
  finder,
  images,
  requireModel,
  pickModel,
}: ChatRequestsOptions): Handlers<ChatRequestName> {
  const requireEnd = (): void => {
    if (chat.isRunning) throw replyRuns();
  };
  const find = (id: string): Turn => {
    const turn = turnOfPath(chat.conversation, id);
    requireEnd();
    if (turn === undefined) throw messageIsGone();
    return turn;
  };
  return {
    stop: () => chat.stop(),
    async retry({ turn: id, chooseModel }) {
      const turn = find(id);
      const model = chooseModel ? await pickModel() : await modelToRetry(turn, requireModel);
      if (model === undefined) return;
      await chat.checkMessage(turn.question, [model]);
      await started((onStart) => chat.resend(id, { model, onStart }));
    },
    async 'retry-without-tools'({ turn: id }) {
      const model = await modelToRetry(find(id), requireModel);
      await started((onStart) => chat.resend(id, { model, withoutTools: true, onStart }));
    },
    async continue({ turn: id }) {
      const turn = find(id);
      if (turn !== chat.conversation.turns.at(-1) || !canContinue(turn))
        throw new UserError(vscode.l10n.t("There's nothing left to continue."));
      await started((onStart) => chat.continue(onStart));
    },
    resume: () => chat.resume(),
    'edit-message'({ turn: id }) {
      const turn = chat.conversation.turns.find((candidate) => candidate.id === id);
      if (turn !== undefined) edits.begin(id, turn.question.attachments);
    },
    'stop-editing': ({ turn }) => edits.end(turn),
    async resend({ turn: id, text, restoreFiles }) {
      if (text.trim() === '') throw new UserError(vscode.l10n.t('Type a message first.'));
      const { question } = find(id);
      await edits.of(id)?.attached();
      const { attachments } = edits.of(id) ?? question;
      const model = await requireModel(modeOfMessage(question, chat.mode));
      await chat.checkMessage({ text, attachments }, [model]);
      chat.access.requireWrite();
      // Last, so that nothing is restored if the message isn't sent.
      const fileRestore = restoreFiles === true ? await restores.restore(id) : undefined;
      const change = { text, attachments, model, fileRestore };
      await started((onStart) => chat.resend(id, { ...change, onStart }));
      edits.end(id);
    },
    'find-restorable': ({ turn }) => restores.find(turn),
    'restore-files': ({ turn, action }) =>
      action === 'review' ? restores.review(turn) : restores.change(turn, action),
    async 'select-version'({ turn }) {
      requireEnd();
      await chat.changeBetweenTurns({ type: 'version-select', turn });
    },
    async 'use-summary'({ summary, used }) {
      requireEnd();
      await chat.changeBetweenTurns({ type: 'summary-use', summary, used });
    },
    async fork({ turn }) {
      await vscode.commands.executeCommand(commands.forkChat, store.id, turn);
    },
    async 'continue-in-copy'() {
      await vscode.commands.executeCommand(commands.forkChat, store.id);
    },
    async 'reload-chat'() {
      if (!(await store.reload())) throw chatIsGone();
    },
    async 'open-chat'({ chat: id }) {
      await vscode.commands.executeCommand(commands.openChat, id);
    },
    'set-options': ({ options: changed }) => chat.setOptions(changed),
    find: ({ query, from }) => finder.find(query, from),
    'read-image': ({ hash }) => images.url(hash),
  };
}

/** Resolves when a turn starts, and rejects if it can't. The turn shows later errors itself. */
function started(run: (onStart: () => void) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    run(resolve).then(() => resolve(), reject);
  });
}

export interface ToolActions {
  /** Ends what the command of a call left running. */
  endProcesses(turn: string, call: string): Promise<void>;
  /** Resolves with false if no such call is waiting for approval. */
  decide(
    turn: string,
    call: string,
    decision: PanelDecision,
    reason: string | undefined,
  ): Promise<boolean>;
  /** Shows the diff of a call that waits for approval. */
  review(turn: string, call: string, path: string | undefined): Promise<void>;
  /** Applies the action to one file that the turn changed, or to all. */
  change(
    turn: string,
    change: string | undefined,
    action: 'diff' | 'keep' | 'undo' | 'redo',
  ): Promise<void>;
}

const changing: readonly RequestName[] = [
  'send',
  'stop',
  'retry',
  'continue',
  'retry-without-tools',
  'resume',
  'decide',
  'end-processes',
  'review',
  'resend',
  'restore-files',
  'select-version',
  'use-summary',
  'set-options',
  'plan',
];

/** True if only the window that writes the chat may handle a request. */
export function changesChat({ name, parameters }: Call): boolean {
  return name === 'changes' ? parameters.action !== 'diff' : changing.includes(name);
}
