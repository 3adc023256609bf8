import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ChatFile } from '../../core/history/chatFile.ts';
import { readImport, type ImportProblem } from '../../core/history/importChats.ts';
import { orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { counted } from '../../core/support/counted.ts';
import { hashOf } from '../../core/support/id.ts';
import type { Dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import type { Memento } from '../memento.ts';
import { problemText } from './chatFiles.ts';
import {
  chatsInFolder,
  findChatSources,
  type ChatCandidate,
  type ChatFolders,
} from './chatSources.ts';

export interface ChatImportsOptions {
  readonly folders: ChatFolders;
  readonly dialogs: Dialogs;
  /** Asks for a folder with chats. */
  readonly openFolder: () => Thenable<vscode.Uri | undefined>;
  /** Saves a chat, and resolves with its id. */
  readonly save: (file: ChatFile) => Promise<string>;
  readonly list: () => Promise<readonly string[]>;
  readonly state: Memento;
  readonly clock: Clock;
  readonly mask: (text: string) => string;
}

/** Fingerprints of chats that were imported, and the ids under which they were saved. */
const stored = z.record(z.string(), z.string());
const stateKey = 'importedChats';
const maxStored = 5000;

/** Maximum number of problems that are told. */
const maxProblems = 20;

/** Bytes of the largest file that is read. */
const maxBytes = 256_000_000;

/** Imports chats of other assistants, and of a folder with exported ones. */
export class ChatImports {
  readonly #options: ChatImportsOptions;

  constructor(options: ChatImportsOptions) {
    this.#options = options;
  }

  /**
   * Imports all new chats of a source. Unreadable chats don't stop the others.
   *
   * @param folder a folder with chats; the person selects a source if undefined
   * @throws {UserError} lists the files that could not be imported after the others are saved
   */
  async import(folder?: vscode.Uri): Promise<void> {
    const candidates = folder === undefined ? await this.#select() : await chatsInFolder(folder);
    if (candidates === undefined) return;
    const { dialogs, list, save, state } = this.#options;
    const known = stored.safeParse(state.get(stateKey)).data ?? {};
    const saved = new Set(await list());
    const problems: string[] = [];
    let count = 0;
    for (const candidate of candidates) {
      const file = await this.#read(candidate);
      if (typeof file === 'string') problems.push(file);
      else {
        const print = await fingerprintOf(file);
        if (saved.has(known[print] ?? '')) continue;
        const id = await save(file);
        known[print] = id;
        saved.add(id);
        count += 1;
      }
    }
    await state.update(stateKey, Object.fromEntries(Object.entries(known).slice(-maxStored)));
    if (count > 0) dialogs.showInformation(importedText(count));
    else if (problems.length === 0)
      dialogs.showInformation(vscode.l10n.t('There are no new chats to import.'));
    if (problems.length > 0) throw new UserError(shortened(problems).join('\n'));
  }

  /** Undefined if the person selects nothing. */
  async #select(): Promise<readonly ChatCandidate[] | undefined> {
    const { dialogs, folders, openFolder } = this.#options;
    const sources = await findChatSources(folders);
    const selected = await dialogs.pick<readonly ChatCandidate[] | 'folder'>(
      [
        ...sources.map(({ name, chats }) => ({
          label: name,
          description: vscode.l10n.t('Chats: {0}', chats.length),
          value: chats,
        })),
        { label: vscode.l10n.t('Select Folder…'), value: 'folder' },
      ],
      vscode.l10n.t('Import Chats'),
    );
    if (selected !== 'folder') return selected;
    const folder = await openFolder();
    return folder && chatsInFolder(folder);
  }

  /** The first readable file of a chat; the problem of the first one if none is readable. */
  async #read(candidate: ChatCandidate): Promise<ChatFile | string> {
    const problems: string[] = [];
    for (const uri of candidate) {
      const text = await orUndefined(readText(uri));
      const { clock, mask } = this.#options;
      const file = text === undefined ? undefined : readImport(text, clock.wall(), mask);
      if (file !== undefined && !('problem' in file)) return file;
      problems.push(importProblemText(file, pathOf(uri)));
    }
    return problems[0] ?? '';
  }
}

function importedText(count: number): string {
  if (count === 1) return vscode.l10n.t('Imported 1 chat.');
  return counted(vscode.l10n.t('Imported {0} chats.'), count, vscode.env.language);
}

async function readText(uri: vscode.Uri): Promise<string> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxBytes) throw new RangeError('too large');
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** The name of a file and of its folder: all tasks have files of the same name. */
function pathOf({ path }: vscode.Uri): string {
  return path.split('/').slice(-2).join('/');
}

function importProblemText(file: ImportProblem | undefined, name: string): string {
  switch (file?.problem) {
    case 'empty':
      return vscode.l10n.t('{0} has no messages.', name);
    case 'format':
      return vscode.l10n.t('{0} is damaged, or no chat.', name);
    default:
      return problemText({ ...file, problem: file?.problem ?? 'unreadable' }, name);
  }
}

function shortened(problems: readonly string[]): readonly string[] {
  const more = problems.length - maxProblems;
  if (more <= 0) return problems;
  const last = vscode.l10n.t("More files that can't be imported: {0}", more);
  return [...problems.slice(0, maxProblems), last];
}

/** Identifies the content of a chat, independent of times and ids. */
function fingerprintOf({ title, turns }: ChatFile): Promise<string> {
  const said = turns.map(({ question, parts }) => [
    question.text,
    parts.map((part) => (part.type === 'tool-call' ? part.arguments : part.text)),
  ]);
  return hashOf(new TextEncoder().encode(JSON.stringify([title, said])));
}
