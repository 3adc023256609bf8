import * as vscode from 'vscode';
import type { Handlers } from '../../protocol/rpc.ts';
import { commands } from '../contributions.ts';
import { raiseBudget } from '../errorReporter.ts';
import { openLink } from '../workspace/editorActions.ts';
import type { ReplyActions } from './replyActions.ts';

type ReplyRequestName =
  | 'copy'
  | 'open-link'
  | 'insert-at-cursor'
  | 'new-file'
  | 'apply-to-file'
  | 'run-in-terminal'
  | 'open-preview'
  | 'open-file'
  | 'raise-budget'
  | 'run';

/** The handlers of requests from the buttons and links of replies, and of empty chats. */
export function replyRequests(replies: ReplyActions): Handlers<ReplyRequestName> {
  return {
    copy: async ({ text }) => vscode.env.clipboard.writeText(text),
    'open-link': ({ href, label }) => openLink(href, label),
    'insert-at-cursor': ({ text }) => replies.insert(text),
    'new-file': (code) => replies.newFile(code),
    'apply-to-file': (code) => replies.apply(code),
    'run-in-terminal': ({ text }) => replies.runInTerminal(text),
    'open-preview': ({ text }) => replies.preview(text),
    'open-file': ({ path, line }) => replies.open(path, line),
    'raise-budget': () => raiseBudget(),
    async run({ command }) {
      await vscode.commands.executeCommand(commands[command]);
    },
  };
}
