import type { RecentChat } from '../../protocol/messages.ts';
import type { SavedJournals } from '../journal/journal.ts';
import type { OpenChats } from '../chat/openChats.ts';
import type { SavedChat, SavedChats } from './savedChats.ts';
import { chatIsGone } from '../chat/storeMessages.ts';
import * as vscode from 'vscode';
import { wordsPattern } from '../../core/history/wordPatterns.ts';
import { background } from '../../core/support/background.ts';
import { toDisposable } from '../../core/support/event.ts';
import {
  type ChatItem,
  chatItems,
  type DeletedEntry,
  deletedItems,
  listTitle,
  showAllItem,
} from './chatItems.ts';
import type { ChatSearch, FoundChat } from './chatSearch.ts';
import { answerOf } from '../dialogs.ts';

export interface ChatHistoryOptions extends Omit<ChatPickOptions, 'chats' | 'isRunning'> {
  readonly chats: SavedChats;
  readonly journals: SavedJournals;
  readonly opening: Pick<OpenChats, 'isRunning' | 'show'>;
}

/** Maximum number of chats that an empty chat offers. */
const maxRecent = 3;

/** `aside.openChat`, and the recent chats that an empty chat offers. */
export class ChatHistory {
  readonly #options: ChatHistoryOptions;

  constructor(options: ChatHistoryOptions) {
    this.#options = options;
  }

  /** @param argument the id of a chat; any other value lets the person choose one */
  async open(argument: unknown): Promise<void> {
    const { journals, opening } = this.#options;
    if (typeof argument !== 'string') {
      const isRunning = (id: string): boolean => opening.isRunning(id);
      const chosen = await new ChatPick({ ...this.#options, isRunning }).show();
      if (chosen !== undefined && 'restore' in chosen) await chosen.restore();
      else if (chosen !== undefined) await opening.show(chosen.id, chosen.hit);
    } else if (opening.isRunning(argument) || (await journals.list()).includes(argument))
      await opening.show(argument);
    else throw chatIsGone();
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    const all = await this.#options.chats.read();
    return new Map(all.map(({ id, title }) => [id, title]));
  }

  async recent(): Promise<readonly RecentChat[]> {
    const { chats, workspace } = this.#options;
    const all = (await chats.read()).toSorted((a, b) => b.at - a.at);
    const here = all.filter((chat) => chat.workspace === workspace);
    const elsewhere = all.filter((chat) => chat.workspace !== workspace);
    return [...here, ...elsewhere]
      .filter(({ title }) => title !== '')
      .slice(0, maxRecent)
      .map(({ id, title, at }) => ({ id, title, at }));
  }
}

/** A chat to open, with the location of the searched words in it. */
export interface ChosenChat {
  readonly id: string;
  readonly hit?: { readonly turn: string; readonly query: string } | undefined;
}

export interface ChatPickOptions {
  readonly chats: Pick<SavedChats, 'read'>;
  readonly search: Pick<ChatSearch, 'search'>;
  /** Deleted chats that can be restored, newest first; undefined if none are stored. */
  readonly deleted?: (() => Promise<readonly DeletedEntry[]>) | undefined;
  /** The URI of the workspace of the window; empty without one. */
  readonly workspace: string;
  /** The name of the remote machine that stores the chats; empty if they are on this one. */
  readonly machine: string;
  readonly isRunning: (id: string) => boolean;
  readonly onError: (what: string, error: unknown) => void;
}

/** The visible list of saved chats. Typed words are searched in titles and texts. */
export class ChatPick {
  readonly #options: ChatPickOptions;
  readonly #pick = vscode.window.createQuickPick<ChatItem>();
  readonly #hits = new Map<string, FoundChat>();
  #all: readonly SavedChat[] = [];
  #deleted: readonly DeletedEntry[] = [];
  /** The chosen scope; undefined for the default, which depends on the chats. */
  #chosenScope: 'here' | 'all' | undefined;
  /** The chat at the top of the list, which is active until the person moves. */
  #top: string | undefined;
  #isReading = false;
  #isClosed = false;
  #searching: AbortController | undefined;

  constructor(options: ChatPickOptions) {
    this.#options = options;
    this.#pick.placeholder = vscode.l10n.t('Search titles, messages, and replies');
    this.#pick.title = vscode.l10n.t('Open Chat');
    this.#pick.keepScrollPosition = true;
  }

  /** Resolves with the chosen chat; undefined when the person cancels. */
  show(): Promise<ChosenChat | DeletedEntry | undefined> {
    const answer = answerOf<ChosenChat | DeletedEntry>(this.#pick, (accept) => [
      this.#pick.onDidChangeValue(() => this.#search()),
      this.#pick.onDidTriggerButton(() => this.#toggleAll()),
      this.#pick.onDidTriggerItemButton(({ item, button }) => background(this.#act(item, button))),
      this.#pick.onDidAccept(() => {
        const item = this.#pick.selectedItems[0];
        if (item?.showsAll === true) this.#toggleAll();
        const choice = item?.deleted ?? (item?.chat && this.#choice(item.chat));
        if (choice !== undefined) accept(choice);
      }),
      toDisposable(() => {
        this.#isClosed = true;
        this.#searching?.abort();
      }),
    ]);
    this.#draw();
    this.#pick.show();
    background(this.#read());
    return answer;
  }

  #choice({ id }: SavedChat): ChosenChat {
    const turn = this.#hits.get(id)?.turn;
    return { id, hit: turn === undefined ? undefined : { turn, query: this.#pick.value.trim() } };
  }

  async #read(): Promise<void> {
    const { chats, deleted, machine, onError } = this.#options;
    this.#setReading(true);
    try {
      const isFirst = this.#all.length === 0;
      this.#setChats(await chats.read(isFirst ? (first) => this.#setChats(first) : undefined));
      this.#pick.title = listTitle(this.#all, machine);
      this.#deleted = (await deleted?.()) ?? [];
      this.#draw();
    } catch (error) {
      onError('Reading the saved chats', error);
    } finally {
      this.#setReading(false);
    }
    // Text may have been typed before all chats were known.
    if (this.#pick.value.trim() !== '' && !this.#isClosed) this.#search();
  }

  #setReading(isReading: boolean): void {
    this.#isReading = isReading;
    this.#pick.busy = isReading || this.#searching !== undefined;
  }

  #setChats(all: readonly SavedChat[]): void {
    this.#all = all;
    this.#draw();
  }

  get #showsAll(): boolean {
    return (this.#chosenScope ?? (this.#here().length === 0 ? 'all' : 'here')) === 'all';
  }

  #here(): readonly SavedChat[] {
    return this.#all.filter(({ workspace }) => workspace === this.#options.workspace);
  }

  #scope(): readonly SavedChat[] {
    return this.#showsAll ? this.#all : this.#here();
  }

  #toggleAll(): void {
    this.#chosenScope = this.#showsAll ? 'here' : 'all';
    this.#search();
  }

  /** Starts a search for the typed text, and ends the previous one. */
  #search(): void {
    this.#searching?.abort();
    this.#searching = undefined;
    this.#hits.clear();
    this.#draw();
    const query = this.#pick.value.trim();
    if (query !== '') background(this.#searchTexts(query));
    else this.#setReading(this.#isReading);
  }

  async #searchTexts(query: string): Promise<void> {
    const searching = new AbortController();
    this.#searching = searching;
    this.#pick.busy = true;
    let drawnHits = 0;
    const addHit = (chat: FoundChat): void => {
      this.#hits.set(chat.id, chat);
      // Drawing is linear in the number of hits: it waits for 20% more than the last time.
      if (this.#hits.size < drawnHits * 1.2) return;
      drawnHits = this.#hits.size;
      this.#draw();
    };
    const ids = this.#scope().map(({ id }) => id);
    await this.#options.search.search(query, ids, addHit, searching.signal);
    if (this.#searching !== searching) return;
    this.#searching = undefined;
    this.#setReading(this.#isReading);
    this.#draw();
  }

  /** Runs the command of a button, which may change the list. */
  async #act({ chat, buttons = [] }: ChatItem, button: vscode.QuickInputButton): Promise<void> {
    const action = buttons.find((candidate) => candidate === button);
    if (chat === undefined || action === undefined) return;
    await vscode.commands.executeCommand(action.command, chat.id);
    await this.#read();
  }

  #draw(): void {
    const { workspace, isRunning } = this.#options;
    const scope = this.#scope();
    const pattern = wordsPattern(this.#pick.value);
    const hasWords = (title: string): boolean => pattern?.test(title) !== false;
    const chats = scope.filter(({ id, title }) => this.#hits.has(id) || hasWords(title));
    const items = chatItems({ chats, hits: this.#hits, workspace, isRunning });
    const others = this.#all.length - scope.length;
    const active = this.#pick.activeItems[0]?.chat?.id;
    const isMoved = active !== this.#top;
    this.#top = items.find(({ chat }) => chat !== undefined)?.chat?.id;
    this.#pick.items = [
      ...items,
      ...(others > 0 ? [showAllItem(others)] : []),
      ...deletedItems(this.#deleted.filter(({ title }) => hasWords(title))),
    ];
    const same = items.find(({ chat }) => chat !== undefined && chat.id === active);
    if (isMoved && same !== undefined) this.#pick.activeItems = [same];
    this.#pick.buttons = [
      {
        iconPath: new vscode.ThemeIcon(this.#showsAll ? 'folder' : 'globe'),
        tooltip: this.#showsAll
          ? vscode.l10n.t('Show Only This Workspace')
          : vscode.l10n.t('Show Chats of All Workspaces'),
      },
    ];
  }
}
