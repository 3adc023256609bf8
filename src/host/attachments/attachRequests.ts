import * as vscode from 'vscode';
import { keyOf } from '../../core/attachments/attachedText.ts';
import type { Attachment, Conversation } from '../../core/conversation/conversation.ts';
import type { ReviewDiff } from '../changes/reviewDiff.ts';
import { settingIds } from '../contributions.ts';
import { Refusal } from '../errors.ts';
import { statOf } from '../workspace/files.ts';
import type { ReadOnlyTexts } from '../workspace/readOnlyTexts.ts';
import type { WorkspaceIndex } from '../workspace/workspaceIndex.ts';
import type { AttachDialogs, Choice } from './attachDialogs.ts';
import type { Attacher } from './attacher.ts';
import type { AttachRequest } from './attaching.ts';
import type { Completions } from './completions.ts';
import type { Composer } from './composer.ts';
import { fileChip, selectionChip, settingChip } from './contextChips.ts';
import type { Instructions } from './instructions.ts';
import type { OfferedSelection } from './offeredSelection.ts';

interface AttachRequestNeeds extends ShowNeeds {
  readonly chat: { readonly conversation: Conversation };
  readonly composer: Composer;
  readonly attacher: Pick<Attacher, 'attach' | 'attachAddresses'>;
  readonly completions: Pick<Completions, 'choose' | 'things'>;
  readonly instructions: Pick<Instructions, 'found' | 'ask' | 'decide'>;
  readonly offered: Pick<OfferedSelection, 'current'>;
  readonly dialogs: Pick<AttachDialogs, 'pick'>;
}

/** Does what the view asks about attachments. */
export class AttachRequests {
  readonly #needs: AttachRequestNeeds;

  constructor(needs: AttachRequestNeeds) {
    this.#needs = needs;
  }

  async handle(request: AttachRequest): Promise<void> {
    const { attacher, completions } = this.#needs;
    switch (request.type) {
      case 'attach':
        return this.#pick();
      case 'attach-addresses':
        return attacher.attachAddresses(request.addresses);
      case 'attach-image':
        throw new Refusal(
          vscode.l10n.t('The service takes text alone: images cannot be attached.'),
        );
      case 'attach-offered':
        return this.#attachOffered(request.attachment);
      case 'choose-completion':
        return completions.choose(request.id);
      case 'remove-attachment':
        return this.#remove(request.attachment);
      case 'show-attachment':
        return this.#show(request.attachment);
    }
  }

  /** The `+` button: the same as after `@`, and files from anywhere. */
  async #pick(): Promise<void> {
    const { completions, dialogs } = this.#needs;
    const offers = await completions.things('');
    const choices = offers.map(({ item, choose }): Choice<() => Promise<void>> => ({
      ...{ label: item.label, icon: item.icon, value: choose },
      ...(item.detail === undefined ? {} : { description: item.detail }),
    }));
    const all = [
      { label: vscode.l10n.t('Files and Folders…'), icon: 'folder-opened', value: this.#browse },
      ...choices,
      ...this.#unusedInstructions(),
    ];
    const chosen = await dialogs.pick(all, vscode.l10n.t('Attach to the next question'));
    await chosen?.();
  }

  readonly #browse = async (): Promise<void> => {
    const uris = await vscode.window.showOpenDialog({ canSelectMany: true, canSelectFiles: true });
    for (const uri of uris ?? []) await this.#needs.attacher.attach(uri);
  };

  /** Files of the workspace that the person did not want as instructions, and may want now. */
  #unusedInstructions(): readonly Choice<() => Promise<void>>[] {
    const { instructions } = this.#needs;
    const unused = instructions.found.filter(({ decision }) => decision?.isUsed !== true);
    return unused.map(({ path }) => ({
      label: vscode.l10n.t('Use {0} as instructions', path),
      icon: 'book',
      value: () => instructions.ask(path),
    }));
  }

  async #attachOffered(id: string): Promise<void> {
    const { attacher, instructions, offered } = this.#needs;
    if (id.startsWith(fileChip)) return instructions.ask(id.slice(fileChip.length));
    const { current } = offered;
    if (id !== selectionChip || current === undefined) {
      throw new Refusal(vscode.l10n.t('Nothing is selected any more.'));
    }
    return attacher.attach(current.uri, current.range);
  }

  async #remove(id: string): Promise<void> {
    const { composer, instructions } = this.#needs;
    if (id === settingChip) return openSetting();
    if (id.startsWith(fileChip)) return instructions.decide(id.slice(fileChip.length), false);
    composer.remove(id);
  }

  async #show(id: string): Promise<void> {
    const { chat, composer } = this.#needs;
    if (id === settingChip) return openSetting();
    if (id.startsWith(fileChip)) return this.#showInstructions(id.slice(fileChip.length));
    const attachment = composer.attachments.find((one) => one.id === id);
    if (attachment === undefined) {
      throw new Refusal(vscode.l10n.t('This is not attached any more.'));
    }
    return showAttachment(attachment, chat.conversation, this.#needs);
  }

  /** Whoever saw how a file changed knows it as it is now. */
  async #showInstructions(path: string): Promise<void> {
    const { instructions, diff } = this.#needs;
    const file = instructions.found.find((one) => one.path === path);
    if (file === undefined) return;
    const { decision, text, uri } = file;
    if (decision?.isUsed !== true || decision.text === text) {
      await vscode.window.showTextDocument(uri, { preview: true });
      return;
    }
    const files = [{ path, before: decision.text, after: text }];
    await diff.show(files, vscode.l10n.t('Since you agreed to it'));
    await instructions.decide(path, true);
  }
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', settingIds.instructions);
}

interface ShowNeeds {
  readonly texts: Pick<ReadOnlyTexts, 'show'>;
  readonly diff: Pick<ReviewDiff, 'show'>;
  readonly index: Pick<WorkspaceIndex, 'uriOf'>;
}

/** Opens the file of an attachment, how it differs from what was sent, or its text. */
async function showAttachment(
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
