import * as vscode from 'vscode';
import { workspaceName } from '../../core/history/chatTitle.ts';
import { systemClock } from '../../core/support/clock.ts';
import { counted } from '../../core/support/counted.ts';
import { commands } from '../contributions.ts';
import { formatRelativeTime } from '../formatDelay.ts';
import type { FoundChat } from './chatSearch.ts';
import type { SavedChat } from './savedChats.ts';

/** An entry of the list: a chat, a heading, or a link to the chats of all workspaces. */
export interface ChatItem extends vscode.QuickPickItem {
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

export interface ListedChats {
  /** Chats in the order of the list. */
  readonly chats: readonly SavedChat[];
  readonly hits: ReadonlyMap<string, FoundChat>;
  /** The URI of the workspace of the window; empty without one. */
  readonly workspace: string;
  readonly isRunning: (id: string) => boolean;
}

/** The entries: chats of the workspace of the window first. */
export function chatItems(listed: ListedChats): ChatItem[] {
  const { chats, workspace } = listed;
  const buttons = actionButtons();
  const toItem = (chat: SavedChat): ChatItem => chatItem(chat, listed, buttons);
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

export function deletedItems(deleted: readonly DeletedEntry[]): ChatItem[] {
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

/** The entry that leads to the chats of all workspaces. */
export function showAllItem(count: number): ChatItem {
  return {
    label: `$(globe) ${vscode.l10n.t('Show Chats of All Workspaces')}`,
    description: vscode.l10n.t('{0} more', count),
    alwaysShow: true,
    showsAll: true,
  };
}

/**
 * The title of the list: how many chats there are, and how large they are.
 * @param machine the name of the remote machine that stores the chats, if they are on one
 */
export function listTitle(chats: readonly SavedChat[], machine: string): string {
  const what =
    machine === '' ? vscode.l10n.t('Open Chat') : vscode.l10n.t('Open Chat on {0}', machine);
  const bytes = chats.reduce((sum, chat) => sum + chat.size, 0);
  const { language } = vscode.env;
  const size = formatSize(bytes, language);
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
export function formatSize(bytes: number, language: string): string {
  const [unit, size] = bytes < 1_000_000 ? ['kilobyte', 1000] : ['megabyte', 1_000_000];
  const rounded = bytes === 0 ? 0 : Math.max(1, Math.round(bytes / size));
  return new Intl.NumberFormat(language, { style: 'unit', unit }).format(rounded);
}

function chatItem(
  chat: SavedChat,
  { hits, isRunning }: ListedChats,
  buttons: readonly ActionButton[],
): ChatItem {
  const line = hits.get(chat.id)?.line;
  const icon = isRunning(chat.id) ? '$(loading~spin) ' : chat.pinned ? '$(pinned) ' : '';
  return {
    label: icon + titleText(chat.title),
    description: withoutIcons(
      [
        isRunning(chat.id) ? vscode.l10n.t('running') : ago(chat.at),
        chat.model,
        workspaceName(chat.workspace),
      ]
        .filter((part) => part !== '')
        .join(' · '),
    ),
    ...(line === undefined ? {} : { detail: withoutIcons(line) }),
    // Aside filters the entries itself, since VS Code only knows the titles.
    alwaysShow: true,
    buttons,
    chat,
  };
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

function actionButtons(): readonly ActionButton[] {
  const button = (command: string, icon: string, tooltip: string): ActionButton => ({
    command,
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  });
  return [
    button(commands.openInEditor, 'split-horizontal', vscode.l10n.t('Open in Editor')),
    button(commands.renameChat, 'edit', vscode.l10n.t('Rename…')),
    button(commands.exportChat, 'export', vscode.l10n.t('Export…')),
    button(commands.deleteChat, 'trash', vscode.l10n.t('Delete')),
  ];
}
