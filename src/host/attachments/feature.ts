import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, type Event, followEach } from '../../core/support/event.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import { openOwnFolder, type SlashCommand } from '../context/customFiles.ts';
import type { ContextFeature } from '../context/feature.ts';
import { windowDialogs as dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import { requireImageInput } from '../imageLimits.ts';
import { PresetActions } from '../presets/presetActions.ts';
import { ownPresetFolder, type Presets } from '../presets/presets.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { settingsOfModel } from '../modelSettings.ts';
import { lastTerminalOutput } from '../terminal/lastTerminalOutput.ts';
import type { TerminalCommands } from '../terminal/terminalCommands.ts';
import { noRepository } from '../workspace/git.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import { type AttachmentActions, AttachmentRequestHandler } from './attachmentRequestHandler.ts';
import { type AttachmentHolder, AttachmentResolver } from './attachmentResolver.ts';
import { CompletionProvider } from './completionProvider.ts';
import { EditorContext } from './editorContext.ts';
import { OfferedSelection } from './offeredSelection.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { pathsOfTurns } from '../../core/turn/instructionScope.ts';
import type { FoundInstructions } from '../context/instructions.ts';
import type { Log } from '../log.ts';
import { instructionChips, presetChips, selectionChips } from './contextChips.ts';
import type {
  AttachedImage,
  ChosenPreset,
  Conversation,
} from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import type { Composer } from './composer.ts';

export interface AttachmentNeeds {
  readonly chats: AttachmentChats;
  readonly connection: ConnectionFeature;
  readonly context: ContextFeature;
  readonly terminals: TerminalCommands;
  readonly slashCommands: () => Promise<readonly SlashCommand[]>;
  readonly presets: () => Promise<Presets>;
  /** The names of the tools that models may use. */
  readonly toolNames: () => Promise<readonly string[]>;
}

export interface AttachmentFeature extends Disposable {
  /** A page's actions on the attachments of its chat, which may not be the focused one. */
  readonly forChat: (open: AttachmentChat) => AttachmentActions;
  /** Follows the selection and the instruction files while a chat is visible. */
  readonly watch: (isSeen: boolean) => void;
  /** Attaches the arguments of `aside.addToChat`. */
  readonly add: (open: AttachmentChat, args: readonly unknown[]) => Promise<void>;
  /** Shows a text in a read-only document. */
  readonly showText: (title: string, text: string, language: string) => Promise<unknown>;
  readonly showMarkdown: (title: string, text: string) => Promise<unknown>;
}

export function createAttachments(window: HostWindow, needs: AttachmentNeeds): AttachmentFeature {
  const { connection, chats } = needs;
  const { instructions } = needs.context;
  const offered = new OfferedSelection(systemClock);
  const texts = new ReadOnlyDocuments('aside-text');
  const messages = new Messages(window, needs, { offered, texts });
  const chips = new ChatContextChips({
    chats,
    settings: window.settings,
    instructions,
    offered,
    tokensOf: connection.tokensOf,
    log: window.log,
  });
  return {
    forChat: (open) => ({
      handle: async (call) => {
        const edited = 'edited' in call.parameters ? call.parameters.edited : undefined;
        return messages.of(open, edited).handle(call);
      },
    }),
    watch(isSeen) {
      offered.watch(isSeen);
      if (isSeen) background(instructions.read().then(() => chips.updateAll()));
    },
    add: (open, args) => messages.of(open).add(args),
    showText: (title, text, language) => texts.show(title, text, language),
    showMarkdown: (title, text) => texts.showMarkdown(title, text),
    dispose: () => disposeAll([offered, texts, chips]),
  };
}

interface MessageAttachments extends AttachmentActions {
  add(args: readonly unknown[]): Promise<void>;
}

interface SharedParts {
  readonly offered: OfferedSelection;
  readonly texts: ReadOnlyDocuments;
}

/** The attachments of unsent messages, created on first use. */
class Messages {
  readonly #window: HostWindow;
  readonly #needs: AttachmentNeeds;
  readonly #shared: SharedParts;
  readonly #diff: ReviewDiff;
  readonly #created = new WeakMap<AttachmentHolder, MessageAttachments>();

  constructor(window: HostWindow, needs: AttachmentNeeds, shared: SharedParts) {
    this.#window = window;
    this.#needs = needs;
    this.#shared = shared;
    this.#diff = new ReviewDiff(shared.texts);
  }

  /** @param edited the turn of an earlier message; the next message if absent */
  of(open: AttachmentChat, edited?: string): MessageAttachments {
    const holder = edited === undefined ? open.composer : editedMessage(open, edited);
    const attachments = this.#created.get(holder) ?? this.#create(open, holder);
    this.#created.set(holder, attachments);
    return attachments;
  }

  #create(open: AttachmentChat, composer: AttachmentHolder): MessageAttachments {
    const { images } = open;
    const { terminals, slashCommands: prompts } = this.#needs;
    const { approval, index, filesIn, instructions, skills } = this.#needs.context;
    const { context, node } = this.#window;
    const resolver = new AttachmentResolver({
      composer,
      approval,
      dialogs,
      filesIn,
      requireImages: () => {
        const { id } = this.#needs.connection.choice.current();
        requireImageInput(id, settingsOfModel(this.#window.settings.current(), id));
      },
      saveImage: (bytes) => images.save(bytes),
    });
    const editorContext = new EditorContext(
      resolver,
      () => lastTerminalOutput(terminals),
      approval,
      node?.readRepository ?? noRepository,
    );
    const preset = this.#presetOf(open);
    const requests = new AttachmentRequestHandler({
      ...this.#shared,
      diff: this.#diff,
      index,
      instructions,
      chat: open,
      images,
      composer,
      resolver,
      dialogs,
      preset,
      completionProvider: new CompletionProvider({
        index,
        attach: (...file) => resolver.attach(...file),
        editorContext,
        openPrompts: () => openOwnFolder(context.globalStorageUri, 'prompts'),
        async attachSkill(path) {
          const attachment = await skills.attachmentOf(path);
          if (attachment !== undefined) composer.attach(attachment);
        },
        choosePreset: () => preset.choose(),
        prompts,
        clock: systemClock,
      }),
    });
    return {
      handle: (call) => requests.handle(call),
      add: (args) => editorContext.attachFromCommand(args),
    };
  }

  #presetOf(chat: AttachmentChat): PresetActions {
    const { presets, connection, toolNames } = this.#needs;
    const { globalStorageUri } = this.#window.context;
    return new PresetActions({
      chat,
      presets,
      selectedModel: () => connection.choice.current().id,
      toolNames,
      dialogs,
      openFolder: () => openOwnFolder(globalStorageUri, ownPresetFolder),
      showChanges: (path, before, after) =>
        this.#diff.show([{ path, before, after }], vscode.l10n.t('Changes Since You Chose It')),
    });
  }
}

function editedMessage({ edits }: AttachmentChat, turn: string): AttachmentHolder {
  const message = edits.of(turn);
  if (message !== undefined) return message;
  throw new UserError(vscode.l10n.t('This message is no longer being edited.'));
}

interface ChatContextChipsOptions {
  readonly chats: AttachmentChats;
  readonly settings: {
    current(): { readonly instructions: string };
    readonly onDidChange: Event<unknown>;
  };
  readonly instructions: {
    readonly onDidChange: Event<unknown>;
    read(paths: readonly string[]): Promise<void>;
    shownFor(about: readonly (readonly string[])[]): readonly FoundInstructions[];
  };
  readonly offered: OfferedSelection;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly log: Log;
}

/** Events that can change the files that a chat is about. */
const changesOfPath: ReadonlySet<ConversationEvent['type']> = new Set([
  'turn-start',
  'turn-remove',
  'version-select',
  'preset-change',
]);

/** Keeps the context chips of all open chats up to date: instructions, the preset, the selection. */
export class ChatContextChips implements Disposable {
  readonly #options: ChatContextChipsOptions;
  readonly #listening: readonly Disposable[];

  constructor(options: ChatContextChipsOptions) {
    this.#options = options;
    const { chats, instructions, offered, settings } = options;
    this.#listening = [
      ...[instructions, offered, settings].map(({ onDidChange }) =>
        onDidChange(() => this.updateAll()),
      ),
      followEach(chats, (open) => this.#follow(open)),
    ];
  }

  updateAll(): void {
    for (const open of this.#options.chats.all) this.#update(open);
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  #follow(open: AttachmentChat): Disposable {
    const update = (): void => this.#update(open);
    update();
    const listening = [
      open.composer.onDidChange(update),
      open.onDidChange((change) => {
        if (change.type === 'replace' || changesOfPath.has(change.event.type)) update();
      }),
      open.preset.model.onDidChange(update),
    ];
    return { dispose: () => disposeAll(listening) };
  }

  #update({ composer, conversation, preset }: AttachmentChat): void {
    const { settings, instructions, offered, tokensOf, log } = this.#options;
    const { turns, running } = conversation;
    const sent = running === undefined ? turns : [...turns, running];
    const question = { text: '', attachments: composer.attachments };
    const about = pathsOfTurns(sent, { question });
    const paths = about.flat();
    if (paths.length > 0) background(instructions.read(paths));
    const { preset: chosen } = conversation;
    // The preset of a chat that was opened again has not been read. A missing one stays unread.
    if (preset.current === undefined)
      preset.refresh().catch((error: unknown) => log.error('Reading a preset', error));
    composer.setContextChips([
      ...instructionChips(settings.current().instructions, instructions.shownFor(about), tokensOf),
      ...presetChips(chosen, preset.current, tokensOf),
      ...selectionChips(offered.current, composer.attachments, tokensOf),
    ]);
  }
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

interface AttachmentChats {
  readonly all: readonly AttachmentChat[];
  readonly onDidOpen: Event<AttachmentChat>;
  readonly onDidClose: Event<AttachmentChat>;
}
