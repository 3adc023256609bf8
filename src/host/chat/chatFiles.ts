import * as vscode from 'vscode';

import type { Conversation } from '../../core/conversation/conversation.ts';
import {
  chatFileOf,
  imagesOfFile,
  maxChatFile,
  maxFileImages,
  readChatFile,
  readImages,
  writeChatFile,
  type ChatFile,
  type ChatFileProblem,
} from '../../core/history/chatFile.ts';
import { importEvents } from '../../core/history/chatImport.ts';
import { chatText, type ChatText } from '../../core/history/chatText.ts';
import { isEmptyChat, titleOf } from '../../core/history/chatTitle.ts';
import { markdownOf } from '../../core/history/markdownExport.ts';
import { orUndefined } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { lastSegment, oneLine, truncateGraphemes } from '../../core/support/text.ts';
import type { ImageFiles } from './imageFiles.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { startOfDialog, isThere } from '../platform/location.ts';
import type { SavedChats } from './savedChats.ts';

export interface ExportFormat {
  readonly format: 'markdown' | 'json';
  /** Absent if the file has none. */
  readonly reasoning?: boolean | undefined;
}

/** File extension of each format. */
const endings: Readonly<Record<ExportFormat['format'], string>> = { markdown: 'md', json: 'json' };

export interface FileDialogs {
  save(uri: vscode.Uri): Thenable<vscode.Uri | undefined>;
  /** The folder to export to, or to import from. */
  openFolder(purpose: 'export' | 'import'): Thenable<vscode.Uri | undefined>;
  openFiles(): Thenable<readonly vscode.Uri[] | undefined>;
}

export interface ChatFilesOptions {
  readonly chats: SavedChats;
  readonly images: ImageFiles;
  readonly dialogs: Dialogs;
  readonly files: FileDialogs;
  /** The folder that is offered first. */
  readonly folder: vscode.Uri;
  /** Resolves when all keys are known. */
  readonly learned: () => Promise<void>;
  readonly redact: (text: string) => string;
  readonly isTainted: (chat: Conversation) => boolean;
}

export class ChatFiles {
  readonly #options: ChatFilesOptions;

  constructor(options: ChatFilesOptions) {
    this.#options = options;
  }

  /** A chat as Markdown, without secrets. */
  async markdown(id: string): Promise<string> {
    return markdownOf(await this.#fileOf(await this.#options.chats.read(id)));
  }

  /** A chat as text to attach, without secrets. */
  async text(id: string, mostCharacters: number): Promise<ChatText> {
    const chat = await this.#options.chats.read(id);
    const { title, turns } = await this.#fileOf(chat);
    return {
      title: titleOf({ title, turns, running: undefined }),
      text: chatText(turns, mostCharacters),
      isTainted: this.#options.isTainted(chat),
    };
  }

  /**
   * Writes a file for each chat.
   * @param target the format and the file or folder; the person is asked if it is absent
   */
  async export(
    ids: readonly string[],
    target?: ExportFormat & { readonly to: vscode.Uri },
  ): Promise<void> {
    const format = target ?? (await this.#pickFormat('markdown', 'json'));
    if (format === undefined) return;
    const [only] = ids;
    const isOne = ids.length === 1 && only !== undefined;
    const { dialogs, files, folder } = this.#options;
    const first = isOne ? await this.#nameOf(only) : '';
    const offered = vscode.Uri.joinPath(folder, `${first}.${endings[format.format]}`);
    const to = target?.to ?? (await (isOne ? files.save(offered) : files.openFolder('export')));
    if (to === undefined) return;
    if (isOne) await this.#write(only, format, to);
    else for (const id of ids) await this.#write(id, format, await this.#freeName(to, id, format));
    dialogs.showInformation(exportedText(ids.length, baseName(to)));
  }

  /**
   * Exports every saved chat with messages as JSON. Unreadable chats don't stop the others.
   *
   * @param selected a folder; the person is asked for one, and about reasoning, if undefined
   * @throws {UserError} lists the unreadable chats after the others are written
   */
  async exportAll(selected?: vscode.Uri): Promise<void> {
    const { chats, dialogs, files } = this.#options;
    const ids = await chats.list();
    if (ids.length === 0) throw new UserError(vscode.l10n.t('There are no saved chats.'));
    const format = selected ? { format: 'json' as const } : await this.#pickFormat('json');
    if (format === undefined) return;
    const folder = selected ?? (await files.openFolder('export'));
    if (folder === undefined) return;
    const problems: string[] = [];
    let count = 0;
    for (const id of ids) {
      try {
        if (isEmptyChat(await chats.read(id))) continue;
        await this.#write(id, format, await this.#freeName(folder, id, format));
        count += 1;
      } catch (error) {
        problems.push(vscode.l10n.t("{0} can't be exported: {1}", id, oneLine(String(error))));
      }
    }
    dialogs.showInformation(exportedText(count, baseName(folder)));
    if (problems.length > 0) throw new UserError(problems.join('\n'));
  }

  /**
   * Imports a new chat from each file. Unreadable files don't stop the others.
   *
   * @param selected the files; the person is asked for them if undefined
   * @param imported called with the id of each new chat
   * @throws {UserError} lists the files that could not be imported, with the reasons, after the
   * others are saved
   */
  async import(
    selected: readonly vscode.Uri[] | undefined,
    imported: (id: string) => void,
  ): Promise<void> {
    const { chats, files, images } = this.#options;
    const uris = selected ?? (await files.openFiles()) ?? [];
    const problems: string[] = [];
    for (const uri of uris) {
      const file = (await orUndefined(readFile(uri))) ?? { problem: 'unreadable' as const };
      if ('problem' in file) {
        problems.push(problemText(file, baseName(uri)));
        continue;
      }
      const pictures = await readImages(file);
      const saveImages = async (id: string): Promise<void> => {
        for (const { image, bytes } of pictures) await images.save(id, image, bytes);
      };
      imported(await chats.create(importEvents(file), saveImages));
    }
    if (problems.length === 0) return;
    const more = problems.length - maxProblems;
    const told = problems.slice(0, maxProblems);
    if (more > 0) told.push(vscode.l10n.t("More files that can't be imported: {0}", more));
    throw new UserError(told.join('\n'));
  }

  /**
   * Imports the JSON files of a folder.
   * @param selected the folder; the person is asked for it if undefined
   */
  async importFolder(
    selected: vscode.Uri | undefined,
    imported: (id: string) => void,
  ): Promise<void> {
    const folder = selected ?? (await this.#options.files.openFolder('import'));
    if (folder === undefined) return;
    const entries = await vscode.workspace.fs.readDirectory(folder);
    const names = entries.map(([name]) => name).filter((name) => /\.json$/i.test(name));
    if (names.length === 0)
      throw new UserError(problemText({ problem: 'format' }, baseName(folder)));
    const uris = names.toSorted().map((name) => vscode.Uri.joinPath(folder, name));
    await this.import(uris, imported);
  }

  /** The file with its images, as many as an importable file can contain. */
  async #withImages(id: string, file: ChatFile): Promise<ChatFile> {
    const images: Record<string, string> = {};
    let room = maxFileImages;
    for (const image of imagesOfFile(file)) {
      const text = await this.#options.images.read(id, image);
      if (text === undefined || text.length > room) continue;
      images[image.hash] = text;
      room -= text.length;
    }
    return Object.keys(images).length === 0 ? file : { ...file, images };
  }

  async #fileOf(
    chat: Conversation,
    more: { readonly reasoning?: boolean } = {},
  ): Promise<ChatFile> {
    const { learned, redact } = this.#options;
    await learned();
    return chatFileOf(chat, (text) => maskSecrets(redact(text)).text, more);
  }

  #pickFormat(...formats: readonly ExportFormat['format'][]): Promise<ExportFormat | undefined> {
    const [readable, importable, complete] = [
      vscode.l10n.t('To read and share'),
      vscode.l10n.t('Can be imported again'),
      vscode.l10n.t('Complete, can be imported again'),
    ];
    const labels = { markdown: 'Markdown', json: 'JSON' };
    const choices = [false, true].flatMap((reasoning) =>
      formats.map((format) => {
        const description = reasoning ? complete : importable;
        return {
          label: reasoning ? vscode.l10n.t('{0} with Reasoning', labels[format]) : labels[format],
          description: format === 'json' ? description : readable,
          value: { format, reasoning },
        };
      }),
    );
    return this.#options.dialogs.pick<ExportFormat>(choices, vscode.l10n.t('Export Chat'));
  }

  async #write(
    id: string,
    { format, reasoning = false }: ExportFormat,
    to: vscode.Uri,
  ): Promise<void> {
    const file = await this.#fileOf(await this.#options.chats.read(id), { reasoning });
    const text =
      format === 'json' ? writeChatFile(await this.#withImages(id, file)) : markdownOf(file);
    await vscode.workspace.fs.writeFile(to, new TextEncoder().encode(text));
  }

  async #freeName(folder: vscode.Uri, id: string, { format }: ExportFormat): Promise<vscode.Uri> {
    const name = await this.#nameOf(id);
    for (let number = 1; ; number += 1) {
      const numbered = number === 1 ? name : `${name} ${number}`;
      const uri = vscode.Uri.joinPath(folder, `${numbered}.${endings[format]}`);
      if (!(await isThere(uri))) return uri;
    }
  }

  /** The title as a valid name in every file system, without secrets. */
  async #nameOf(id: string): Promise<string> {
    const title = titleOf(await this.#options.chats.read(id));
    const name = maskSecrets(title).text.replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ');
    const short = truncateGraphemes(name.replace(/ +/g, ' ').trim(), 60).trimEnd() || 'chat';
    return namesDevice.test(short) ? `${short} chat` : short;
  }
}

/** @param to the file of a single chat, or the folder of several */
function exportedText(count: number, to: string): string {
  if (count === 1) return vscode.l10n.t('Exported to {0}.', to);
  const { language } = vscode.env;
  return counted(vscode.l10n.t('Exported {0} chats to {1}.'), count, language, count, to);
}

/** Device names, which Windows reserves with any extension. */
const namesDevice = /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])$/i;

function baseName({ path }: vscode.Uri): string {
  return lastSegment(path);
}

/** Reason why a file can't be imported or read. */
interface FileProblem {
  readonly field?: string | undefined;
  readonly problem: ChatFileProblem['problem'] | 'unreadable';
}

async function readFile(uri: vscode.Uri): Promise<ChatFile | ChatFileProblem> {
  const { size } = await vscode.workspace.fs.stat(uri);
  // A character has up to four bytes.
  if (size > maxChatFile * 4) return { problem: 'size' };
  return readChatFile(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
}

/** Maximum number of files that can't be imported, of which each is told. */
const maxProblems = 20;

/** Explains why a file can't be imported. */
function problemText({ problem, field: location = '' }: FileProblem, name: string): string {
  switch (problem) {
    case 'unreadable':
      return vscode.l10n.t("{0} can't be read.", name);
    case 'size':
      return vscode.l10n.t('{0} is too large or too deeply nested for a chat.', name);
    case 'format':
      return vscode.l10n.t(
        '{0} contains no chats exported from Aside as JSON. Only those can be imported.',
        name,
      );
    case 'version':
      return vscode.l10n.t('{0} was exported by a later version of Aside.', name);
    case 'content':
      return vscode.l10n.t("{0} can't be imported: invalid content at {1}.", name, location);
  }
}

/** VS Code's dialogs for {@link ChatFiles}. */
export const fileDialogs: FileDialogs = {
  save: (defaultUri) =>
    vscode.window.showSaveDialog({ defaultUri, title: vscode.l10n.t('Save Chat') }),
  async openFolder(purpose) {
    const [title, openLabel] =
      purpose === 'export'
        ? [vscode.l10n.t('Select a Folder for the Chats'), vscode.l10n.t('Export')]
        : [vscode.l10n.t('Select a Folder with Chats'), vscode.l10n.t('Import')];
    const only = { ...startOfDialog(), canSelectFolders: true, canSelectFiles: false };
    return (await vscode.window.showOpenDialog({ ...only, title, openLabel }))?.[0];
  },
  openFiles: () =>
    vscode.window.showOpenDialog({
      ...startOfDialog(),
      canSelectMany: true,
      filters: { JSON: ['json'] },
      title: vscode.l10n.t('Import Chat'),
      openLabel: vscode.l10n.t('Import'),
    }),
};
