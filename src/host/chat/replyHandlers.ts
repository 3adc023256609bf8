import * as vscode from 'vscode';
import { turnOfPath } from '../../core/conversation/paths.ts';
import type { Handlers, CallName } from '../../protocol/rpc.ts';
import type { PanelDecisions } from '../approval/panelDecisions.ts';
import type { CallReviews } from '../tools/callReviews.ts';
import type { ChangeActions } from '../tools/changeActions.ts';
import type { ReplyActions } from '../editor/replyActions.ts';
import type { ToolAccess } from '../service/models.ts';
import { raiseBudget } from '../platform/errorText.ts';
import { UserError } from '../platform/errors.ts';
import { replyCost } from '../usage/usageCauses.ts';
import type { UsageContext } from '../usage/usageByModel.ts';
import type { UsageLog } from '../usage/usageLog.ts';
import { openLink } from '../platform/editorActions.ts';
import type { Chat } from './chat.ts';
import { messageIsGone } from './storeMessages.ts';

/** What a person does with the tool calls of a turn. */
export interface ToolActions {
  readonly decisions: Pick<PanelDecisions, 'decide'>;
  readonly reviews: Pick<CallReviews, 'show'>;
  readonly changes: Pick<ChangeActions, 'change'>;
  /** Ends what the command of a call left running. */
  endProcesses(turn: string, call: string): Promise<void>;
}

/** Handles calls about tools and models. */
export function toolHandlers(
  { preset }: Chat,
  tools: ToolActions,
  access: Pick<ToolAccess, 'tryAgain'>,
  settings: { setEffort(model: string, effort: string | undefined): Promise<void> },
) {
  const handlers = {
    'end-processes': ({ turn, call }) => tools.endProcesses(turn, call),
    // The only approval among the calls is a click on an edit that waits for it in the panel.
    decide({ turn, call, decision, reason }) {
      if (tools.decisions.decide(turn, call, decision, reason)) return;
      throw new UserError(vscode.l10n.t('This call is no longer waiting for approval.'));
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
