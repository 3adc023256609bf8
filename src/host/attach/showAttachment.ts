import * as vscode from 'vscode';
import type { Attachment, Conversation } from '../../core/conversation/conversation.ts';
import { keyOf } from '../../core/attach/attachedText.ts';
import type { ReviewDiff } from '../changes/reviewDiff.ts';
import { statOf } from '../tools/files.ts';
import type { ReadOnlyTexts } from './readOnlyTexts.ts';
import type { WorkspaceIndex } from './workspaceIndex.ts';

export interface ShowNeeds {
  readonly texts: Pick<ReadOnlyTexts, 'show'>;
  readonly diff: Pick<ReviewDiff, 'show'>;
  readonly index: Pick<WorkspaceIndex, 'uriOf'>;
}

/** Opens the file of an attachment, how it differs from what was sent, or its text. */
export async function showAttachment(
  attachment: Attachment,
  conversation: Conversation,
  { texts, diff, index }: ShowNeeds,
): Promise<void> {
  const sent = lastSent(attachment, conversation);
  if (sent !== undefined && sent.text !== attachment.text) {
    const { path } = attachment;
    const files = [{ path, before: sent.text, after: attachment.text }];
    await diff.show(files, vscode.l10n.t('Since it was sent'));
    return;
  }
  const uri = isFile(attachment) ? index.uriOf(attachment.path) : undefined;
  if (uri !== undefined && (await statOf(uri))?.type === vscode.FileType.File) {
    const { start = 1, end = start } = attachment.range ?? {};
    const selection = new vscode.Range(start - 1, 0, end, 0);
    const isPart = attachment.range !== undefined;
    await vscode.window.showTextDocument(uri, { preview: true, ...(isPart ? { selection } : {}) });
    return;
  }
  await texts.show(attachment.name, attachment.text, attachment.language || 'plaintext');
}

function isFile({ kind = 'file' }: Attachment): boolean {
  return kind === 'file' || kind === 'selection' || kind === 'symbol';
}

function lastSent(attachment: Attachment, { turns }: Conversation): Attachment | undefined {
  const all = turns.flatMap(({ question }) => question.attachments);
  return all.findLast((one) => keyOf(one) === keyOf(attachment));
}
