/** The attachments of unsent messages: the next one of each chat, and earlier ones being edited. */
import * as vscode from 'vscode';
import {
  attachmentsOf,
  type AttachedImage,
  type Attachment,
  type ChosenPreset,
  type Conversation,
} from '../../core/conversation/conversation.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Event } from '../../core/support/event.ts';
import { visibleName } from '../../core/support/text.ts';
import { attachmentKey } from '../../core/turn/messagePieces.ts';
import type { CallParameters, CallResults, Handlers } from '../../protocol/rpc.ts';
import type { ModelChoice } from '../service/models.ts';
import type { AttachmentApproval } from '../context/attachmentApproval.ts';
import { openOwnFolder, type SlashCommand } from '../context/customFiles.ts';
import type { Instructions } from '../context/instructions.ts';
import type { Skills } from '../context/skills.ts';
import { settingIds } from '../contributions.ts';
import { type PickItem, windowDialogs as dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { requireImageInput } from '../platform/imageLimits.ts';
import { type ChatPreset, PresetActions, presetIcon } from '../context/chatPreset.ts';
import { ownPresetFolder, type Presets } from '../context/presets.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { settingsOfModel } from '../platform/settingValues.ts';
import { lastTerminalOutput, type TerminalCommands } from '../tools/terminalCommands.ts';
import { statOf } from '../platform/files.ts';
import { noRepository } from '../platform/git.ts';
import { startOfDialog } from '../platform/location.ts';
import { isNotebook } from '../platform/notebooks.ts';
import type { ReadOnlyDocuments } from '../platform/readOnlyDocuments.ts';
import type { HostWindow } from '../platform/window.ts';
import type { WorkspaceIndex } from '../platform/workspaceIndex.ts';
import { type AttachmentHolder, AttachmentResolver } from './attachmentResolver.ts';
import { CompletionProvider } from './completionProvider.ts';
import type { Composer } from './composer.ts';
import {
  instructionFileChipPrefix,
  instructionSettingChipId,
  type OfferedSelection,
  presetChipId,
  selectionChipId,
} from './contextChips.ts';
import { type ChatTexts, EarlierChats } from './earlierChats.ts';
import { EditorContext } from './editorContext.ts';

export type AttachmentCallName =
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

interface MessageAttachmentsOptions {
  readonly window: HostWindow;
  readonly choice: ModelChoice;
  readonly approval: AttachmentApproval;
  readonly index: WorkspaceIndex;
  readonly instructions: Instructions;
  readonly skills: Skills;
  readonly presets: Presets;
  readonly terminals: TerminalCommands;
  readonly offered: OfferedSelection;
  /** Shows texts that have no file. */
  readonly documents: ReadOnlyDocuments;
  readonly chatTexts: ChatTexts;
  readonly slashCommands: () => Promise<readonly SlashCommand[]>;
  /** The names of the tools that models may use. */
  readonly toolNames: () => Promise<readonly string[]>;
}

/** One object for the window: pages attach by it to the message that they name. */
export class MessageAttachments {
  readonly #options: MessageAttachmentsOptions;
  readonly #diff: ReviewDiff;
  readonly #messages = new WeakMap<AttachmentHolder, UnsentMessage>();

  constructor(options: MessageAttachmentsOptions) {
    this.#options = options;
    this.#diff = new ReviewDiff(options.documents);
  }

  /** The handlers of a page's calls for its chat, which may not be the focused one. */
  handlersFor(chat: AttachmentChat): Handlers<AttachmentCallName> {
    const handlerOf =
      <N extends AttachmentCallName>(name: N) =>
      async (parameters: CallParameters[N]): Promise<CallResults[N]> => {
        const edited = 'edited' in parameters ? parameters.edited : undefined;
        const holder = edited === undefined ? chat.composer : chat.edits.of(edited);
        if (holder === undefined)
          throw new UserError(vscode.l10n.t('This message is no longer being edited.'));
        return this.#messageOf(chat, holder).handlers[name](parameters);
      };
    return {
      attach: handlerOf('attach'),
      'attach-addresses': handlerOf('attach-addresses'),
      'attach-image': handlerOf('attach-image'),
      'scale-image': handlerOf('scale-image'),
      'attach-text': handlerOf('attach-text'),
      'attach-offered': handlerOf('attach-offered'),
      complete: handlerOf('complete'),
      'more-completions': handlerOf('more-completions'),
      'choose-completion': handlerOf('choose-completion'),
      'remove-attachment': handlerOf('remove-attachment'),
      'show-attachment': handlerOf('show-attachment'),
    };
  }

  /** Attaches the arguments of `aside.addToChat` to the next message. */
  add(chat: AttachmentChat, args: readonly unknown[]): Promise<void> {
    return this.#messageOf(chat, chat.composer).editorContext.attachFromCommand(args);
  }

  #messageOf(chat: AttachmentChat, holder: AttachmentHolder): UnsentMessage {
    const message =
      this.#messages.get(holder) ?? new UnsentMessage(chat, holder, this.#options, this.#diff);
    this.#messages.set(holder, message);
    return message;
  }
}

/** Attaches to one unsent message, and removes and shows what is attached. */
class UnsentMessage {
  readonly editorContext: EditorContext;
  readonly handlers: Handlers<AttachmentCallName>;
  readonly #chat: AttachmentChat;
  readonly #holder: AttachmentHolder;
  readonly #options: MessageAttachmentsOptions;
  readonly #diff: ReviewDiff;
  readonly #resolver: AttachmentResolver;
  readonly #completions: CompletionProvider;
  readonly #preset: PresetActions;

  constructor(
    chat: AttachmentChat,
    holder: AttachmentHolder,
    options: MessageAttachmentsOptions,
    diff: ReviewDiff,
  ) {
    const { window, choice, approval, index, terminals, skills, presets, toolNames } = options;
    const currentChat = (): string => chat.conversation.id;
    const { globalStorageUri } = window.context;
    const { images } = chat;
    this.#chat = chat;
    this.#holder = holder;
    this.#options = options;
    this.#diff = diff;
    const resolver = new AttachmentResolver({
      composer: holder,
      approval,
      dialogs,
      filesIn: (folder) => index.filesIn(folder),
      requireImages: () => {
        const { id } = choice.current();
        requireImageInput(id, settingsOfModel(window.settings.current(), id));
      },
      saveImage: (bytes) => images.save(bytes),
    });
    const preset = new PresetActions({
      chat,
      presets,
      selectedModel: () => choice.current().id,
      toolNames,
      dialogs,
      openFolder: () => openOwnFolder(globalStorageUri, ownPresetFolder),
      showChanges: (path, before, after) =>
        diff.show([{ path, before, after }], vscode.l10n.t('Changes Since You Chose It')),
    });
    this.editorContext = new EditorContext(
      resolver,
      () => lastTerminalOutput(terminals),
      approval,
      window.node?.readRepository ?? noRepository,
    );
    const completions = new CompletionProvider({
      index,
      attach: (...file) => resolver.attach(...file),
      editorContext: this.editorContext,
      earlierChats: new EarlierChats(options.chatTexts, holder, currentChat, dialogs),
      openPrompts: () => openOwnFolder(globalStorageUri, 'prompts'),
      async attachSkill(path) {
        const attachment = await skills.attachmentOf(path);
        if (attachment !== undefined) holder.attach(attachment);
      },
      choosePreset: () => preset.choose(),
      prompts: options.slashCommands,
      clock: systemClock,
    });
    this.#resolver = resolver;
    this.#preset = preset;
    this.#completions = completions;
    this.handlers = {
      attach: () => this.#pick(),
      'attach-addresses': ({ addresses }) => resolver.attachAddresses(addresses),
      'attach-image': (image) => resolver.attachImage(image),
      'scale-image': async ({ attachment, base64 }) => {
        const replaced = await resolver.scaleImage(attachment, base64);
        if (replaced !== undefined) await images.release(replaced);
      },
      'attach-text': (pasted) => resolver.attachPasted(pasted),
      'attach-offered': ({ attachment }) => this.#attachOffered(attachment),
      complete: ({ trigger, query }) => completions.complete(trigger, query),
      'more-completions': () => completions.more(),
      'choose-completion': ({ id }) => completions.choose(id),
      'remove-attachment': ({ attachment }) => this.#remove(attachment),
      'show-attachment': ({ attachment }) => this.#show(attachment),
    };
  }

  /** The `+` button: files from anywhere, the choices of `@`, unused instructions and presets. */
  async #pick(): Promise<void> {
    const { instructions } = this.#options;
    const browse = async (): Promise<void> => {
      const many = { canSelectMany: true, canSelectFiles: true };
      const uris = await vscode.window.showOpenDialog({ ...startOfDialog(), ...many });
      for (const uri of uris ?? []) await this.#resolver.attach(uri);
    };
    const offers = await this.#completions.contextChoices('');
    const unused = instructions.files.filter(({ isAllowed }) => isAllowed !== true);
    const all: readonly PickItem<() => Promise<void>>[] = [
      { label: vscode.l10n.t('Files and Folders…'), icon: 'folder-opened', value: browse },
      ...offers.map(({ item: { label, icon, detail }, choose }) => ({
        label,
        icon,
        value: choose,
        ...(detail === undefined ? {} : { description: detail }),
      })),
      ...unused.map(({ path }) => ({
        label: vscode.l10n.t('Use {0} as Instructions', visibleName(path)),
        icon: 'book',
        value: () => instructions.ask(path),
      })),
      {
        label: vscode.l10n.t('Choose Preset…'),
        icon: presetIcon,
        value: () => this.#preset.choose(),
      },
    ];
    const chosen = await dialogs.pick(all, vscode.l10n.t('Attach to Next Message'));
    await chosen?.();
  }

  async #attachOffered(id: string): Promise<void> {
    const { instructions, offered } = this.#options;
    const file = instructionFileOf(id);
    if (file !== undefined) return instructions.ask(file);
    const { current } = offered;
    if (id !== selectionChipId || current === undefined) {
      throw new UserError(vscode.l10n.t('Nothing is selected anymore.'));
    }
    return this.#resolver.attach(current.uri, current.range);
  }

  async #remove(id: string): Promise<void> {
    if (id === instructionSettingChipId) return openInstructionsSetting();
    if (id === presetChipId) {
      this.#preset.remove();
      return;
    }
    const file = instructionFileOf(id);
    if (file !== undefined) return this.#options.instructions.decide(file, false);
    const removed = this.#holder.attachments.find((attachment) => attachment.id === id);
    this.#holder.remove(id);
    if (removed?.image !== undefined) await this.#chat.images.release(removed.image);
  }

  /** Opens the diff from the version sent before, or the file of an attachment, or its text. */
  async #show(id: string): Promise<void> {
    const { instructions, index, documents } = this.#options;
    if (id === instructionSettingChipId) return openInstructionsSetting();
    if (id === presetChipId) return this.#preset.show();
    const path = instructionFileOf(id);
    if (path !== undefined) {
      const file = instructions.files.find((candidate) => candidate.path === path);
      if (file !== undefined) await vscode.window.showTextDocument(file.uri, { preview: true });
      return;
    }
    const attachment = this.#holder.attachments.find((candidate) => candidate.id === id);
    if (attachment === undefined) {
      throw new UserError(vscode.l10n.t('This is no longer attached.'));
    }
    const sent = this.#chat.conversation.turns
      .flatMap(attachmentsOf)
      .findLast((earlier) => attachmentKey(earlier) === attachmentKey(attachment));
    if (sent !== undefined && sent.text !== attachment.text) {
      const files = [{ path: attachment.path, before: sent.text, after: attachment.text }];
      await this.#diff.show(files, vscode.l10n.t('Changes Since It Was Sent'));
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
      await vscode.window.showTextDocument(uri, {
        preview: true,
        ...(isPart ? { selection } : {}),
      });
      return;
    }
    // A pasted image has no file that could be opened.
    if (attachment.image !== undefined) return;
    await documents.show(attachment.name, attachment.text, attachment.language || 'plaintext');
  }
}

/** The path of the instruction file of a chip; undefined for other chips. */
function instructionFileOf(id: string): string | undefined {
  const prefix = instructionFileChipPrefix;
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
}

async function openInstructionsSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', settingIds.instructions);
}

function isFile({ kind = 'file' }: Attachment): boolean {
  return kind === 'image' || kind === 'file' || kind === 'selection' || kind === 'symbol';
}

export interface AttachmentChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<ChatChange>;
  setPreset(preset: ChosenPreset | undefined): void;
  readonly mode: ChatMode;
  setMode(mode: ChatMode): void;
  readonly composer: Composer;
  readonly edits: { of(turn: string): AttachmentHolder | undefined };
  readonly images: {
    save(bytes: Uint8Array<ArrayBuffer>): Promise<AttachedImage | undefined>;
    release(image: AttachedImage): Promise<void>;
  };
  readonly preset: ChatPreset;
}

export interface AttachmentChats {
  readonly all: readonly AttachmentChat[];
  readonly onDidOpen: Event<AttachmentChat>;
  readonly onDidClose: Event<AttachmentChat>;
}
