import type { ConversationEvent } from '../../core/conversation/events.ts';
import { background } from '../../core/support/background.ts';
import { disposeAll, followEach, type Disposable, type Event } from '../../core/support/event.ts';
import { pathsOfTurns } from '../../core/turn/instructionScope.ts';
import type { FoundInstructions } from '../context/instructions.ts';
import type { Log } from '../log.ts';
import type { AttachmentChat, AttachmentChats } from './attachmentChats.ts';
import { instructionChips, presetChips, selectionChips } from './contextChips.ts';
import type { OfferedSelection } from './offeredSelection.ts';

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
      open.chat.onDidChange((change) => {
        if (change.type === 'replace' || changesOfPath.has(change.event.type)) update();
      }),
      open.preset.model.onDidChange(update),
    ];
    return { dispose: () => disposeAll(listening) };
  }

  #update({ chat, composer, preset }: AttachmentChat): void {
    const { settings, instructions, offered, tokensOf, log } = this.#options;
    const { turns, running } = chat.conversation;
    const sent = running === undefined ? turns : [...turns, running];
    const question = { text: '', attachments: composer.attachments };
    const about = pathsOfTurns(sent, { question });
    const paths = about.flat();
    if (paths.length > 0) background(instructions.read(paths));
    const { preset: chosen } = chat.conversation;
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
