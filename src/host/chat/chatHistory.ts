import type { RecentChat } from '../../protocol/messages.ts';
import type { SavedJournals } from './journal.ts';
import type { OpenChats } from './openChats.ts';
import type { SavedChat, ChatHeads } from './chatHeads.ts';
import { chatIsGone } from './storeMessages.ts';
import * as vscode from 'vscode';
import { wordsPattern } from '../../core/history/wordPatterns.ts';
import { background } from '../../core/support/background.ts';
import { toDisposable } from '../../core/support/event.ts';
import type { ListedChat } from '../attachments/earlierChats.ts';
import type { ChatSearch, FoundChat } from './chatSearch.ts';
import { answerOf } from '../platform/dialogs.ts';
import { workspaceName } from '../../core/history/chatTitle.ts';
import { systemClock } from '../../core/support/clock.ts';
import { counted } from '../../core/support/counted.ts';
import { commands } from '../contributions.ts';
import { formatRelativeTime } from '../platform/formatDelay.ts';

export interface ChatHistoryOptions {
  readonly chats: Pick<ChatHeads, 'read'>;
  readonly search: Pick<ChatSearch, 'search'>;
  readonly journals: SavedJournals;
  readonly opening: Pick<OpenChats, 'isRunning' | 'show'>;
  /** Deleted chats that can be restored, newest first; undefined if none are stored. */
  readonly deleted?: (() => Promise<readonly DeletedEntry[]>) | undefined;
  /** The URI of the workspace of the window; empty without one. */
  readonly workspace: string;
  /** The name of the remote machine that stores the chats; empty if they are on this one. */
  readonly machine: string;
  readonly onError: (what: string, error: unknown) => void;
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
      const chosen = await new ChatPick(this.#options).show();
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
    return (await this.#latest())
      .filter(({ title }) => title !== '')
      .slice(0, maxRecent)
      .map(({ id, title, at }) => ({ id, title, at }));
  }

  /** All saved chats in the order of {@link recent}, as a list shows them. */
  async list(): Promise<readonly ListedChat[]> {
    const { workspace: here } = this.#options;
    return (await this.#latest()).map(({ id, title, at, workspace }) => {
      const place = workspace === here ? '' : workspaceName(workspace);
      const detail = place === '' ? ago(at) : `${ago(at)} · ${place}`;
      return { id, title: titleText(title), detail: withoutIcons(detail) };
    });
  }

  /** The latest chats first, those of this workspace before others. */
  async #latest(): Promise<readonly SavedChat[]> {
    const { chats, workspace } = this.#options;
    const all = (await chats.read()).toSorted((a, b) => b.at - a.at);
    const here = all.filter((chat) => chat.workspace === workspace);
    return [...here, ...all.filter((chat) => chat.workspace !== workspace)];
  }
}

/** A chat to open, with the location of the searched words in it. */
export interface ChosenChat {
  readonly id: string;
  readonly hit?: { readonly turn: string; readonly query: string } | undefined;
}

/** The visible list of saved chats. Typed words are searched in titles and texts. */
export class ChatPick {
  readonly #options: ChatHistoryOptions;
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

  constructor(options: ChatHistoryOptions) {
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
        if (item?.deleted !== undefined) accept(item.deleted);
        if (item?.chat === undefined) return;
        const { id } = item.chat;
        const turn = this.#hits.get(id)?.turn;
        const query = this.#pick.value.trim();
        accept({ id, hit: turn === undefined ? undefined : { turn, query } });
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
    const scope = this.#scope();
    const pattern = wordsPattern(this.#pick.value);
    const hasWords = (title: string): boolean => pattern?.test(title) !== false;
    const chats = scope.filter(({ id, title }) => this.#hits.has(id) || hasWords(title));
    const items = chatItems(chats, this.#hits, this.#options);
    const others = this.#all.length - scope.length;
    const active = this.#pick.activeItems[0]?.chat?.id;
    const isMoved = active !== this.#top;
    this.#top = items.find(({ chat }) => chat !== undefined)?.chat?.id;
    this.#pick.items = [
      ...items,
      ...(others > 0
        ? [
            {
              label: `$(globe) ${vscode.l10n.t('Show Chats of All Workspaces')}`,
              description: vscode.l10n.t('{0} more', others),
              alwaysShow: true,
              showsAll: true,
            },
          ]
        : []),
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

/** An entry of the list: a chat, a heading, or a link to the chats of all workspaces. */
interface ChatItem extends vscode.QuickPickItem {
  readonly chat?: SavedChat;
  readonly buttons?: readonly ActionButton[];
  readonly showsAll?: boolean;
  readonly deleted?: DeletedEntry;
}

export interface DeletedEntry {
  /** Empty for a chat without a name and a message. */
  readonly title: string;
  /** Time of deletion, in milliseconds since the Unix epoch. */
  readonly at: number;
  restore(): Promise<void>;
}

/** A button that runs a command with the id of the chat. */
interface ActionButton extends vscode.QuickInputButton {
  readonly command: string;
}

/**
 * The entries: chats of the workspace of the window first.
 *
 * @param chats in the order of the list
 */
function chatItems(
  chats: readonly SavedChat[],
  hits: ReadonlyMap<string, FoundChat>,
  { workspace, opening }: ChatHistoryOptions,
): ChatItem[] {
  const button = (command: string, icon: string, tooltip: string): ActionButton => ({
    command,
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  });
  const buttons = [
    button(commands.openInEditor, 'split-horizontal', vscode.l10n.t('Open in Editor')),
    button(commands.renameChat, 'edit', vscode.l10n.t('Rename…')),
    button(commands.exportChat, 'export', vscode.l10n.t('Export…')),
    button(commands.deleteChat, 'trash', vscode.l10n.t('Delete')),
  ];
  const toItem = (chat: SavedChat): ChatItem => {
    const line = hits.get(chat.id)?.line;
    const isRunning = opening.isRunning(chat.id);
    const icon = isRunning ? '$(loading~spin) ' : chat.pinned ? '$(pinned) ' : '';
    const time = isRunning ? vscode.l10n.t('running') : ago(chat.at);
    const details = [time, chat.model, workspaceName(chat.workspace)];
    return {
      label: icon + titleText(chat.title),
      description: withoutIcons(details.filter((part) => part !== '').join(' · ')),
      ...(line === undefined ? {} : { detail: withoutIcons(line) }),
      // Aside filters the entries itself, since VS Code only knows the titles.
      alwaysShow: true,
      buttons,
      chat,
    };
  };
  const here = chats.filter((chat) => chat.workspace === workspace);
  if (here.length === chats.length) return here.map(toItem);
  const elsewhere = chats.filter((chat) => chat.workspace !== workspace);
  return [
    ...(here.length > 0 ? [heading(vscode.l10n.t('this workspace'))] : []),
    ...here.map(toItem),
    heading(vscode.l10n.t('other workspaces')),
    ...elsewhere.map(toItem),
  ];
}

function deletedItems(deleted: readonly DeletedEntry[]): ChatItem[] {
  if (deleted.length === 0) return [];
  return [
    heading(vscode.l10n.t('deleted')),
    ...deleted.map((chat) => ({
      label: `$(trash) ${titleText(chat.title)}`,
      description: vscode.l10n.t('deleted {0}, opening restores it', ago(chat.at)),
      alwaysShow: true,
      deleted: chat,
    })),
  ];
}

/**
 * The title of the list: how many chats there are, and how large they are.
 * @param machine the name of the remote machine that stores the chats, if they are on one
 */
function listTitle(chats: readonly SavedChat[], machine: string): string {
  const what =
    machine === '' ? vscode.l10n.t('Open Chat') : vscode.l10n.t('Open Chat on {0}', machine);
  const bytes = chats.reduce((sum, chat) => sum + chat.size, 0);
  const { language } = vscode.env;
  const size = formatSize(bytes);
  return chats.length === 1
    ? vscode.l10n.t('{0} (1 chat, {1})', what, size)
    : counted(
        vscode.l10n.t('{0} ({1} chats, {2})'),
        chats.length,
        language,
        what,
        chats.length,
        size,
      );
}

/** Formats bytes; never as zero if there are some. */
export function formatSize(bytes: number): string {
  const [unit, size] = bytes < 1_000_000 ? ['kilobyte', 1000] : ['megabyte', 1_000_000];
  const rounded = bytes === 0 ? 0 : Math.max(1, Math.round(bytes / size));
  return new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit }).format(rounded);
}

function titleText(title: string): string {
  return withoutIcons(title === '' ? vscode.l10n.t('Untitled Chat') : title);
}

function ago(at: number): string {
  return formatRelativeTime(-Math.max(0, systemClock.wall() - at), vscode.env.language);
}

/** Escapes icon syntax in the texts of chats. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}

function heading(label: string): ChatItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
