import * as vscode from 'vscode';
import type { InvalidPromptFile, ParsedPromptFile as Prompt } from '../../core/code/frontMatter.ts';
import { reported } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { ifThere } from '../missingFile.ts';
import { UserError } from '../errors.ts';
import type { FileOffer } from '../context/fileOffers.ts';
import {
  customFilesIn,
  fileProblemText,
  readCustomFile,
  type CustomFolder,
} from '../context/customFiles.ts';

/** A file with the prompt of a command. */
interface PromptFile {
  /** Several files may have the same. */
  readonly name: string;
  readonly description: string;
  /** Origin, which distinguishes files with the same name. */
  readonly detail: string;
  /** Prefix that makes the names of commands unique. */
  readonly key: string;
  readonly uri: vscode.Uri;
  /** True for a file in the user's own folder, where links are followed. */
  readonly isOwn: boolean;
}

export interface PromptContent {
  readonly text: string;
  /** True if the result is an edit of the active editor. */
  readonly isEdit: boolean;
  readonly offer?: FileOffer;
}

const promptSuffix = '.prompt.md';

const promptFolder = ['.github', 'prompts'];

/** Milliseconds for which the list of files is cached, so that typing a name lists them once. */
const cacheTime = 1000;

/**
 * The user's own commands: `.prompt.md` files of trusted workspaces, and of a folder in the
 * extension's global storage. They are listed on demand.
 */
export class PromptFiles {
  readonly #userFolder: vscode.Uri;
  readonly #clock: Clock;
  #files: Promise<readonly PromptFile[]> | undefined;
  #foundAt = 0;

  /** @param globalStorage the global storage of the extension */
  constructor(globalStorage: vscode.Uri, clock: Clock) {
    this.#userFolder = vscode.Uri.joinPath(globalStorage, 'prompts');
    this.#clock = clock;
  }

  list(): Promise<readonly PromptFile[]> {
    const now = this.#clock.monotonic();
    if (this.#files !== undefined && now - this.#foundAt < cacheTime) return this.#files;
    this.#foundAt = now;
    return (this.#files = this.#find());
  }

  /** @throws {UserError} if the file is invalid */
  async read(location: PromptLocation): Promise<PromptContent> {
    const prompt = await parseFile(location);
    if ('problem' in prompt) throw new UserError(fileProblemText(location.uri, prompt.problem));
    const { body, mode, model, whole } = prompt;
    const path = vscode.workspace.asRelativePath(location.uri);
    const offer = { path, text: whole, isOwn: location.isOwn, model };
    // The prompt appears as the person's message, which must show invisible characters.
    const content = { text: revealInvisible(body).text, isEdit: mode === 'edit' };
    return model === undefined ? content : { ...content, offer };
  }

  async #find(): Promise<readonly PromptFile[]> {
    const { workspaceFolders = [], isTrusted } = vscode.workspace;
    const folders = isTrusted
      ? workspaceFolders.map(({ name, uri }) => ({
          key: name,
          detail: vscode.l10n.t('Prompt from {0}', name),
          folder: vscode.Uri.joinPath(uri, ...promptFolder),
          isOwn: false,
        }))
      : [];
    const detail = vscode.l10n.t('Your prompt');
    const userFolder = { key: 'own', detail, folder: this.#userFolder, isOwn: true };
    const files = await Promise.all([...folders, userFolder].map(promptsIn));
    return files.flat();
  }
}

async function promptsIn(folder: CustomFolder): Promise<readonly PromptFile[]> {
  const files = await customFilesIn(folder, promptSuffix);
  const prompts = await Promise.all(
    files.map(async ({ key, detail, uri, isOwn }) => {
      const prompt = await reported(ifThere(parseFile({ uri, isOwn })));
      return prompt && { key, detail, uri, isOwn, ...nameAndDescription(prompt) };
    }),
  );
  return prompts.filter((prompt) => prompt !== undefined);
}

/** An invalid file is listed as well; the error is shown when it is used. */
function nameAndDescription(prompt: Prompt | InvalidPromptFile): {
  name: string;
  description: string;
} {
  const { name } = prompt;
  return { name, description: 'problem' in prompt ? '' : prompt.description };
}

export type PromptLocation = Pick<PromptFile, 'uri' | 'isOwn'>;

/** A valid file with all of its text. */
type WholePrompt = Prompt & { readonly whole: string };

async function parseFile(location: PromptLocation): Promise<WholePrompt | InvalidPromptFile> {
  const { path } = location.uri;
  const file = path.slice(path.lastIndexOf('/') + 1);
  const read = await readCustomFile(location.uri, location.isOwn);
  // The module parses YAML, which takes time to load.
  const { parsePromptFile, promptName } = await import('../../core/code/frontMatter.ts');
  if ('problem' in read) return { ...read, name: promptName(file) };
  const prompt = parsePromptFile(file, read.text);
  return 'problem' in prompt ? prompt : { ...prompt, whole: read.text };
}
