import * as vscode from 'vscode';
import type { Chat } from '../chat/chat.ts';
import type { AttachRequest } from '../chat/attaching.ts';
import type { Composer } from '../chat/composer.ts';
import { settingIds } from '../contributions.ts';
import { Refusal } from '../refusal.ts';
import type { Attacher } from './attacher.ts';
import type { AttachDialogs, Choice } from './attachDialogs.ts';
import { fileChip, selectionChip, settingChip } from './besideChips.ts';
import type { Completions } from './completions.ts';
import type { Instructions } from './instructions.ts';
import type { OfferedSelection } from './offeredSelection.ts';
import { showAttachment, type ShowNeeds } from './showAttachment.ts';

export interface AttachRequestNeeds extends ShowNeeds {
  readonly chat: Pick<Chat, 'conversation'>;
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
