import * as vscode from 'vscode';
import {
  canContinue,
  lastTurn,
  type FileRestore,
  type Turn,
} from '../../core/conversation/conversation.ts';
import { modeOfMessage } from '../../core/conversation/mode.ts';
import { answerText, isOpenQuestion, questionOf } from '../../core/conversation/question.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { changedLinesOf } from '../../core/edits/lineDiff.ts';
import { modelToRetry } from '../../core/turn/nextTurn.ts';
import type { Call, Handlers, CallName } from '../../protocol/rpc.ts';
import type { PanelDecisions } from '../approval/panelDecisions.ts';
import { commands } from '../contributions.ts';
import type { ReplyActions } from '../editor/replyActions.ts';
import { openLink } from '../platform/editorActions.ts';
import { UserError } from '../platform/errors.ts';
import { raiseBudget } from '../platform/errorText.ts';
import type { ToolAccess } from '../service/models.ts';
import type { OpenQuestions } from '../tools/askUser.ts';
import type { CallReviews } from '../tools/callReviews.ts';
import type { ChangeActions, RestoreActions } from '../tools/changeActions.ts';
import type { RestoredTurns } from '../tools/changes.ts';
import type { UsageContext } from '../usage/usageByModel.ts';
import { replyCost } from '../usage/usageCauses.ts';
import type { UsageLog } from '../usage/usageLog.ts';
import type { Chat } from './chat.ts';
import { ChatFinder } from './chatFinder.ts';
import { chatIsElsewhere, chatIsGone, messageIsGone, replyRuns } from './storeMessages.ts';

/** Restores the files that turns changed. */
export type RestoreFiles = Pick<RestoreActions, keyof RestoreActions>;

/** Handles calls about the turns and the options of a chat. */
export function chatHandlers(chat: Chat, restores: RestoreFiles) {
  const { edits, images, models, store } = chat;
  const finder = new ChatFinder(() => chat.conversation, chat.clock);
  const requireEnd = (): void => {
    if (chat.isRunning) throw replyRuns();
  };
  const find = (id: string): Turn => {
    const turn = turnOfPath(chat.conversation, id);
    requireEnd();
    if (turn === undefined) throw messageIsGone();
    return turn;
  };
  /** The turn and all later ones on the visible path. Only these are undone. */
  const turnsFrom = (turn: string): readonly Turn[] => {
    const { turns } = chat.conversation;
    const start = turns.findIndex(({ id }) => id === turn);
    return start < 0 ? [] : turns.slice(start);
  };
  const scopeFrom = (turn: string): RestoredTurns => ({
    chat: chat.conversation.id,
    turns: turnsFrom(turn).map(({ id }) => id),
  });
  const requireWriter = (): void => {
    if (!store.isWriter) throw chatIsElsewhere();
  };
  const handlers = {
    stop: () => chat.stop(),
    async retry({ turn: id, chooseModel }) {
      const turn = find(id);
      const model = chooseModel
        ? await models.pickModel()
        : await modelToRetry(turn, () => models.requireModel());
      if (model === undefined) return;
      await chat.checkMessage(turn.question, [model]);
      await started((onStart) => chat.resend(id, { model, onStart }));
    },
    async 'retry-without-tools'({ turn: id }) {
      const model = await modelToRetry(find(id), () => models.requireModel());
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
      const model = await models.requireModel(modeOfMessage(question, chat.mode));
      await chat.checkMessage({ text, attachments }, [model]);
      chat.access.requireWrite();
      let fileRestore: FileRestore | undefined;
      if (restoreFiles === true) {
        requireWriter();
        // Last, so that nothing is restored if the message isn't sent.
        fileRestore = await restores.restore(scopeFrom(id));
      }
      const change = { text, attachments, model, fileRestore };
      await started((onStart) => chat.resend(id, { ...change, onStart }));
      edits.end(id);
    },
    'find-restorable'({ turn }) {
      const hasChanges = turnsFrom(turn).some(({ changes = [] }) =>
        changes.some(({ status }) => status !== 'undone'),
      );
      if (!store.isWriter || chat.isRunning || !hasChanges) return { files: [], left: [] };
      return restores.find(scopeFrom(turn));
    },
    async 'restore-files'({ turn, action }) {
      if (action === 'review') return restores.review(scopeFrom(turn));
      // The files that were restored when the message was sent.
      requireWriter();
      const { id, turns, running } = chat.conversation;
      const restore = [...turns, running].find((candidate) => candidate?.id === turn)?.fileRestore;
      if (restore === undefined) throw messageIsGone();
      const restored = await restores[action](id, restore);
      chat.record({ type: 'files-restore', turn, restore: restored });
    },
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
  } satisfies Partial<Handlers<CallName>>;
  return handlers;
}

/** Resolves when a turn starts, and rejects if it can't. The turn shows later errors itself. */
function started(run: (onStart: () => void) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    run(resolve).then(() => resolve(), reject);
  });
}

/** What a person does with the tool calls of a turn. */
export interface ToolActions {
  readonly decisions: Pick<PanelDecisions, 'decide' | 'changesOf'>;
  readonly questions: Pick<OpenQuestions, 'answer'>;
  readonly reviews: Pick<CallReviews, 'show'>;
  readonly changes: Pick<ChangeActions, 'change'>;
  /** Ends what the command of a call left running. */
  endProcesses(turn: string, call: string): Promise<void>;
}

/** Handles calls about tools and models. */
export function toolHandlers(
  chat: Chat,
  tools: ToolActions,
  access: Pick<ToolAccess, 'tryAgain'>,
  settings: { setEffort(model: string, effort: string | undefined): Promise<void> },
) {
  const { preset } = chat;
  const handlers = {
    async answer({ turn: id, call, choices, text }) {
      const noLongerOpen = new UserError(vscode.l10n.t('This question is no longer open.'));
      const newest = lastTurn(chat.conversation);
      const turn = newest?.id === id ? newest : undefined;
      const part = turn?.parts.find((of) => of.type === 'tool-call' && of.id === call);
      const question = part?.type === 'tool-call' ? questionOf(part) : undefined;
      if (turn === undefined || part?.type !== 'tool-call' || question === undefined)
        throw noLongerOpen;
      const result = answerText(question, choices, text);
      if (result === undefined)
        throw new UserError(vscode.l10n.t('Choose an answer, or type your own.'));
      await chat.checkMessage({ text, attachments: [] }, [turn.model]);
      if (tools.questions.answer(id, call, result)) return;
      // The window was closed before.
      if (turn !== chat.conversation.turns.at(-1) || !isOpenQuestion(part, turn))
        throw noLongerOpen;
      await started((onStart) => chat.continue(onStart, { call, result }));
    },
    'end-processes': ({ turn, call }) => tools.endProcesses(turn, call),
    // The only approval among the calls is a click on an edit that waits for it in the panel.
    decide({ turn, call, decision, reason }) {
      if (tools.decisions.decide(turn, call, decision, reason)) return;
      throw new UserError(vscode.l10n.t('This call is no longer waiting for approval.'));
    },
    'changed-lines'({ turn, call }) {
      const files = tools.decisions.changesOf(turn, call) ?? [];
      return changedLinesOf(files).map(([{ target }, change]) => ({ path: target.label, change }));
    },
    review: ({ turn, call, path }) => tools.reviews.show(turn, call, path),
    changes: ({ turn, change, action }) => tools.changes.change(turn, change, action),
    'try-tools': () => access.tryAgain(preset.model.current().id),
    'set-effort': ({ effort }) => settings.setEffort(preset.model.current().id, effort),
  } satisfies Partial<Handlers<CallName>>;
  return handlers;
}

/** Handles calls about the text and the code of replies. */
export function replyHandlers(
  chat: Chat,
  replies: Omit<ReplyActions, 'dispose'>,
  log: Pick<UsageLog, 'requests'>,
  usage: () => UsageContext,
) {
  const handlers = {
    async 'reply-cost'({ turn: id }) {
      const turn = turnOfPath(chat.conversation, id);
      if (turn === undefined) throw messageIsGone();
      return replyCost(turn, chat.id, log, usage());
    },
    copy: async ({ text }) => vscode.env.clipboard.writeText(text),
    'open-link': ({ href, label }) => openLink(href, label),
    'insert-at-cursor': ({ text }) => replies.insert(text),
    'new-file': (code) => replies.newFile(code),
    'apply-to-file': (code) => replies.apply(code),
    'run-in-terminal': ({ text }) => replies.runInTerminal(text),
    'open-preview': ({ text }) => replies.preview(text),
    'open-file': ({ path, line }) => replies.open(path, line),
    'raise-budget': () => raiseBudget(),
  } satisfies Partial<Handlers<CallName>>;
  return handlers;
}

/** Calls that only read. Nothing is lost if the chat is closed meanwhile. */
const reading: readonly CallName[] = [
  'find',
  'find-restorable',
  'changed-lines',
  'reply-cost',
  'complete',
  'more-completions',
  'read-image',
  'read-attachment',
];

/** Calls that only the window that writes the chat may handle. */
const changing: readonly CallName[] = [
  'send',
  'send-now',
  'stop',
  'retry',
  'continue',
  'answer',
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

export function onlyReads({ name }: Call): boolean {
  return reading.includes(name);
}

/** True if only the window that writes the chat may handle a call. */
export function changesChat({ name, parameters }: Call): boolean {
  return name === 'changes' ? parameters.action !== 'diff' : changing.includes(name);
}
