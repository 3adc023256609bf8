import * as vscode from 'vscode';
import { attachmentKey } from '../../core/turn/messagePieces.ts';
import type {
  AttachedImage,
  Attachment,
  Conversation,
} from '../../core/conversation/conversation.ts';
import { visibleName } from '../../core/support/text.ts';
import { handle } from '../../protocol/call.ts';
import type { Call, Handlers, CallParameters, CallResults } from '../../protocol/rpc.ts';
import type { ReviewDiff } from '../review/reviewDiff.ts';
import { settingIds } from '../contributions.ts';
import { UserError } from '../errors.ts';
import { statOf } from '../workspace/files.ts';
import { startOfDialog } from '../workspace/location.ts';
import { isNotebook } from '../workspace/notebooks.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { WorkspaceIndex } from '../workspace/workspaceIndex.ts';
import type { Dialogs, PickItem } from '../dialogs.ts';
import type { AttachmentHolder, AttachmentResolver } from './attachmentResolver.ts';
import type { CompletionProvider } from './completionProvider.ts';
import {
  instructionFileChipPrefix,
  selectionChipId,
  instructionSettingChipId,
  presetChipId,
} from './contextChips.ts';
import { presetIcon } from '../presets/chatPreset.ts';
import type { Instructions } from '../context/instructions.ts';
import type { OfferedSelection } from './offeredSelection.ts';

export type AttachmentRequestName =
  | 'attach'
  | 'attach-addresses'
  | 'attach-image'
  | 'scale-image'
  | 'attach-text'
  | 'attach-offered'
  | 'complete'
  | 'more-completions'
  | 'choose-completion'
  | 'remove-attachment'
  | 'show-attachment';

/** Actions of the view on the attachments of a message. */
export interface AttachmentActions {
  /** Rejects if the request fails. */
  handle<N extends AttachmentRequestName>(call: Call<N>): Promise<CallResults[N]>;
}

interface AttachmentRequestHandlerOptions extends ShowAttachmentOptions {
  readonly chat: { readonly conversation: Conversation };
  readonly composer: AttachmentHolder;
  readonly resolver: AttachmentResolver;
  readonly images: { release(image: AttachedImage): Promise<void> };
  readonly completionProvider: CompletionProvider;
  readonly instructions: Instructions;
  readonly offered: OfferedSelection;
  readonly dialogs: Dialogs;
  readonly preset: PresetChipActions;
}

interface PresetChipActions {
  choose(): Promise<void>;
  show(): Promise<void>;
  remove(): void;
}

export class AttachmentRequestHandler {
  readonly #options: AttachmentRequestHandlerOptions;
  readonly #handlers: Handlers<AttachmentRequestName>;

  constructor(options: AttachmentRequestHandlerOptions) {
    this.#options = options;
    const { resolver, completionProvider } = options;
    this.#handlers = {
      attach: () => this.#pick(),
      'attach-addresses': ({ addresses }) => resolver.attachAddresses(addresses),
      'attach-image': (image) => resolver.attachImage(image),
      'scale-image': async ({ attachment, base64 }) => {
        const replaced = await resolver.scaleImage(attachment, base64);
        if (replaced !== undefined) await options.images.release(replaced);
      },
      'attach-text': (pasted) => resolver.attachPasted(pasted),
      'attach-offered': ({ attachment }) => this.#attachOffered(attachment),
      complete: ({ trigger, query }) => completionProvider.complete(trigger, query),
      'more-completions': () => completionProvider.more(),
      'choose-completion': ({ id }) => completionProvider.choose(id),
      'remove-attachment': ({ attachment }) => this.#remove(attachment),
      'show-attachment': ({ attachment }) => this.#show(attachment),
    };
  }

  async handle<N extends AttachmentRequestName>(call: Call<N>): Promise<CallResults[N]> {
    return handle<CallParameters, CallResults, N>(this.#handlers, call);
  }

  /** The `+` button: the choices of `@`, and files from anywhere. */
  async #pick(): Promise<void> {
    const { completionProvider, dialogs } = this.#options;
    const offers = await completionProvider.contextChoices('');
    const choices = offers.map(({ item, choose }): PickItem<() => Promise<void>> => ({
      label: item.label,
      icon: item.icon,
      value: choose,
      ...(item.detail === undefined ? {} : { description: item.detail }),
    }));
    const all = [
      { label: vscode.l10n.t('Files and Folders…'), icon: 'folder-opened', value: this.#browse },
      ...choices,
      ...this.#unusedInstructions(),
      {
        label: vscode.l10n.t('Choose Preset…'),
        icon: presetIcon,
        value: () => this.#options.preset.choose(),
      },
    ];
    const chosen = await dialogs.pick(all, vscode.l10n.t('Attach to Next Message'));
    await chosen?.();
  }

  readonly #browse = async (): Promise<void> => {
    const many = { canSelectMany: true, canSelectFiles: true };
    const uris = await vscode.window.showOpenDialog({ ...startOfDialog(), ...many });
    for (const uri of uris ?? []) await this.#options.resolver.attach(uri);
  };

  /** Choices that add instruction files not in use. */
  #unusedInstructions(): readonly PickItem<() => Promise<void>>[] {
    const { instructions } = this.#options;
    const unused = instructions.files.filter(({ isAllowed }) => isAllowed !== true);
    return unused.map(({ path }) => ({
      label: vscode.l10n.t('Use {0} as Instructions', visibleName(path)),
      icon: 'book',
      value: () => instructions.ask(path),
    }));
  }

  async #attachOffered(id: string): Promise<void> {
    const { resolver, instructions, offered } = this.#options;
    if (id.startsWith(instructionFileChipPrefix))
      return instructions.ask(id.slice(instructionFileChipPrefix.length));
    const { current } = offered;
    if (id !== selectionChipId || current === undefined) {
      throw new UserError(vscode.l10n.t('Nothing is selected anymore.'));
    }
    return resolver.attach(current.uri, current.range);
  }

  async #remove(id: string): Promise<void> {
    const { composer, instructions, images } = this.#options;
    if (id === instructionSettingChipId) return openSetting();
    if (id === presetChipId) {
      this.#options.preset.remove();
      return;
    }
    if (id.startsWith(instructionFileChipPrefix))
      return instructions.decide(id.slice(instructionFileChipPrefix.length), false);
    const removed = composer.attachments.find((attachment) => attachment.id === id);
    composer.remove(id);
    if (removed?.image !== undefined) await images.release(removed.image);
  }

  async #show(id: string): Promise<void> {
    const { chat, composer } = this.#options;
    if (id === instructionSettingChipId) return openSetting();
    if (id === presetChipId) return this.#options.preset.show();
    if (id.startsWith(instructionFileChipPrefix))
      return this.#showInstructions(id.slice(instructionFileChipPrefix.length));
    const attachment = composer.attachments.find((candidate) => candidate.id === id);
    if (attachment === undefined) {
      throw new UserError(vscode.l10n.t('This is no longer attached.'));
    }
    return showAttachment(attachment, chat.conversation, this.#options);
  }

  async #showInstructions(path: string): Promise<void> {
    const file = this.#options.instructions.files.find((candidate) => candidate.path === path);
    if (file !== undefined) await vscode.window.showTextDocument(file.uri, { preview: true });
  }
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', settingIds.instructions);
}

interface ShowAttachmentOptions {
  readonly texts: ReadOnlyDocuments;
  readonly diff: ReviewDiff;
  readonly index: WorkspaceIndex;
}

/** Opens the diff from the version sent before, or the file of an attachment, or its text. */
async function showAttachment(
  attachment: Attachment,
  conversation: Conversation,
  { texts, diff, index }: ShowAttachmentOptions,
): Promise<void> {
  const sent = conversation.turns
    .flatMap(({ question: message }) => message.attachments)
    .findLast((earlier) => attachmentKey(earlier) === attachmentKey(attachment));
  if (sent !== undefined && sent.text !== attachment.text) {
    const { path } = attachment;
    const files = [{ path, before: sent.text, after: attachment.text }];
    await diff.show(files, vscode.l10n.t('Changes Since It Was Sent'));
    return;
  }
  const uri = isFile(attachment) ? index.uriOf(attachment.path) : undefined;
  if (uri !== undefined && (await statOf(uri))?.type === vscode.FileType.File) {
    if (attachment.image !== undefined || isNotebook(uri)) {
      await vscode.commands.executeCommand('vscode.open', uri);
      return;
    }
    const { start = 1, end = start } = attachment.range ?? {};
    const selection = new vscode.Range(start - 1, 0, end, 0);
    const isPart = attachment.range !== undefined;
    await vscode.window.showTextDocument(uri, { preview: true, ...(isPart ? { selection } : {}) });
    return;
  }
  // A pasted image has no file that could be opened.
  if (attachment.image !== undefined) return;
  await texts.show(attachment.name, attachment.text, attachment.language || 'plaintext');
}

function isFile({ kind = 'file' }: Attachment): boolean {
  return kind === 'image' || kind === 'file' || kind === 'selection' || kind === 'symbol';
}
