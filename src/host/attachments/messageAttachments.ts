import * as vscode from 'vscode';
import type {
  AttachedImage,
  ChosenPreset,
  Conversation,
} from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Event } from '../../core/support/event.ts';
import type { ModelChoice } from '../connection/models.ts';
import type { AttachmentApproval } from '../context/attachmentApproval.ts';
import { openOwnFolder, type SlashCommand } from '../context/customFiles.ts';
import type { Instructions } from '../context/instructions.ts';
import type { Skills } from '../context/skills.ts';
import { windowDialogs as dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import { requireImageInput } from '../imageLimits.ts';
import { settingsOfModel } from '../settingValues.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import { PresetActions } from '../presets/presetActions.ts';
import { ownPresetFolder, type Presets } from '../presets/presets.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { lastTerminalOutput, type TerminalCommands } from '../terminal/terminalCommands.ts';
import { noRepository } from '../workspace/git.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import type { WorkspaceIndex } from '../workspace/workspaceIndex.ts';
import { type AttachmentActions, AttachmentRequestHandler } from './attachmentRequestHandler.ts';
import { type AttachmentHolder, AttachmentResolver } from './attachmentResolver.ts';
import { CompletionProvider } from './completionProvider.ts';
import type { Composer } from './composer.ts';
import { EditorContext } from './editorContext.ts';
import type { OfferedSelection } from './offeredSelection.ts';

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
  readonly slashCommands: () => Promise<readonly SlashCommand[]>;
  /** The names of the tools that models may use. */
  readonly toolNames: () => Promise<readonly string[]>;
}

/** Attaches to one unsent message. */
interface Attaching extends AttachmentActions {
  /** Attaches the arguments of `aside.addToChat`. */
  add(args: readonly unknown[]): Promise<void>;
}

/** The attachments of unsent messages: the next one of each chat, and earlier ones being edited. */
export class MessageAttachments {
  readonly #options: MessageAttachmentsOptions;
  readonly #diff: ReviewDiff;
  readonly #created = new WeakMap<AttachmentHolder, Attaching>();

  constructor(options: MessageAttachmentsOptions) {
    this.#options = options;
    this.#diff = new ReviewDiff(options.documents);
  }

  /** A page's actions on the attachments of its chat, which may not be the focused one. */
  forChat(open: AttachmentChat): AttachmentActions {
    return {
      handle: async (call) => {
        const edited = 'edited' in call.parameters ? call.parameters.edited : undefined;
        return this.#of(open, edited).handle(call);
      },
    };
  }

  /** Attaches the arguments of `aside.addToChat` to the next message. */
  add(open: AttachmentChat, args: readonly unknown[]): Promise<void> {
    return this.#of(open).add(args);
  }

  /** @param edited the turn of an earlier message; the next message if absent */
  #of(open: AttachmentChat, edited?: string): Attaching {
    const holder = edited === undefined ? open.composer : editedMessage(open, edited);
    const attachments = this.#created.get(holder) ?? this.#create(open, holder);
    this.#created.set(holder, attachments);
    return attachments;
  }

  #create(chat: AttachmentChat, composer: AttachmentHolder): Attaching {
    const { images } = chat;
    const { window, choice, approval, index, instructions, skills, presets } = this.#options;
    const { terminals, offered, documents, slashCommands, toolNames } = this.#options;
    const { globalStorageUri } = window.context;
    const resolver = new AttachmentResolver({
      composer,
      approval,
      dialogs,
      filesIn: (folder) => index.filesIn(folder),
      requireImages: () => {
        const { id } = choice.current();
        requireImageInput(id, settingsOfModel(window.settings.current(), id));
      },
      saveImage: (bytes) => images.save(bytes),
    });
    const editorContext = new EditorContext(
      resolver,
      () => lastTerminalOutput(terminals),
      approval,
      window.node?.readRepository ?? noRepository,
    );
    const preset = new PresetActions({
      chat,
      presets,
      selectedModel: () => choice.current().id,
      toolNames,
      dialogs,
      openFolder: () => openOwnFolder(globalStorageUri, ownPresetFolder),
      showChanges: (path, before, after) =>
        this.#diff.show([{ path, before, after }], vscode.l10n.t('Changes Since You Chose It')),
    });
    const requests = new AttachmentRequestHandler({
      offered,
      texts: documents,
      diff: this.#diff,
      index,
      instructions,
      chat,
      images,
      composer,
      resolver,
      dialogs,
      preset,
      completionProvider: new CompletionProvider({
        index,
        attach: (...file) => resolver.attach(...file),
        editorContext,
        openPrompts: () => openOwnFolder(globalStorageUri, 'prompts'),
        async attachSkill(path) {
          const attachment = await skills.attachmentOf(path);
          if (attachment !== undefined) composer.attach(attachment);
        },
        choosePreset: () => preset.choose(),
        prompts: slashCommands,
        clock: systemClock,
      }),
    });
    return {
      handle: (call) => requests.handle(call),
      add: (args) => editorContext.attachFromCommand(args),
    };
  }
}

function editedMessage({ edits }: AttachmentChat, turn: string): AttachmentHolder {
  const message = edits.of(turn);
  if (message !== undefined) return message;
  throw new UserError(vscode.l10n.t('This message is no longer being edited.'));
}

/** A change of a chat: an event, or another conversation, which was read again. */
type AttachmentChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  | { readonly type: 'replace' };

export interface AttachmentChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<AttachmentChatChange>;
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
