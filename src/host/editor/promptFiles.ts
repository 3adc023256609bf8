import * as vscode from 'vscode';
import { attachmentLabel, withAttachment } from '../../core/turn/messagePieces.ts';
import type { InvalidPromptFile, ParsedPromptFile } from '../../core/code/frontMatter.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { reported } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import { revealInvisible, visibleName } from '../../core/support/text.ts';
import { UserError } from '../platform/errors.ts';
import type { FileOffer } from '../context/fileOffers.ts';
import { customFilesIn, fileProblemText, readCustomFile } from '../context/customFiles.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { labelFor, ifThere } from '../platform/location.ts';
import { attachmentOf } from '../platform/selection.ts';
import type { MaySend } from './textGenerator.ts';

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
    const found = await Promise.all(
      [...folders, userFolder].map((folder) => customFilesIn(folder, promptSuffix)),
    );
    const prompts = await Promise.all(
      found.flat().map(async ({ key, detail, uri, isOwn }) => {
        const prompt = await reported(ifThere(parseFile({ uri, isOwn })));
        if (prompt === undefined) return undefined;
        // An invalid file is listed as well; the error is shown when it is used.
        const description = 'problem' in prompt ? '' : prompt.description;
        return { key, detail, uri, isOwn, name: prompt.name, description };
      }),
    );
    return prompts.filter((prompt) => prompt !== undefined);
  }
}

export type PromptLocation = Pick<PromptFile, 'uri' | 'isOwn'>;

/** Also returns all of the text of a valid file. */
async function parseFile(
  location: PromptLocation,
): Promise<(ParsedPromptFile & { readonly whole: string }) | InvalidPromptFile> {
  const { path } = location.uri;
  const file = path.slice(path.lastIndexOf('/') + 1);
  const read = await readCustomFile(location.uri, location.isOwn);
  // The module parses YAML, which takes time to load.
  const { parsePromptFile, promptName } = await import('../../core/code/frontMatter.ts');
  if ('problem' in read) return { ...read, name: promptName(file) };
  const prompt = parsePromptFile(file, read.text);
  return 'problem' in prompt ? prompt : { ...prompt, whole: read.text };
}

/** A value that a person types. */
export interface PromptInput {
  readonly name: string;
  /** Shown in the empty field. */
  readonly placeholder: string;
}

/** Values that a prompt needs before it can be sent. */
interface PromptVariables {
  readonly selection: boolean;
  readonly file: boolean;
  /** Each input once, in the order of their first occurrences. */
  readonly inputs: readonly PromptInput[];
}

interface PromptValues {
  readonly selection?: string;
  readonly file?: string;
  readonly inputs: ReadonlyMap<string, string>;
}

const variable = /\$\{(?:(selection|file)|input:([\w-]{1,50})(?::([^{}\n]{0,500}))?)\}/g;

/** The variables of a prompt. Other text in braces is unchanged. */
export function variablesOf(prompt: string): PromptVariables {
  const matches = [...prompt.matchAll(variable)];
  const inputs = new Map<string, PromptInput>();
  for (const [, , name, placeholder = ''] of matches) {
    const known = name === undefined ? undefined : inputs.get(name);
    if (name !== undefined && (known === undefined || known.placeholder === ''))
      inputs.set(name, { name, placeholder });
  }
  const has = (editor: string): boolean => matches.some(([, name]) => name === editor);
  return { selection: has('selection'), file: has('file'), inputs: [...inputs.values()] };
}

/** Inserts values. A variable inside a value is text; a variable without a value stays. */
export function fillVariables(prompt: string, values: PromptValues): string {
  return prompt.replace(variable, (written, editor?: string, input?: string) => {
    if (editor === 'selection') return values.selection ?? written;
    if (editor === 'file') return values.file ?? written;
    return values.inputs.get(input ?? '') ?? written;
  });
}

/** Inputs of one prompt: a file of a repository must not ask forever. */
const maxInputs = 10;
/** Characters of a file that is attached in full. */
const maxCharacters = 100_000;

/** Values of variables. Each rejects with a {@link UserError} if there is nothing to send. */
export interface PromptSource {
  readonly selection: () => Promise<Attachment>;
  readonly file: () => Promise<Attachment>;
  /** @param step which of how many inputs it is */
  readonly input: (input: PromptInput, command: string, step: string) => Promise<string>;
}

/**
 * Fills the variables of a prompt. Code goes along as an attachment, as all code does, with its name
 * in the prompt; text that the person types is part of it.
 *
 * @param command the name of the prompt file
 * @param attached attachments that are sent anyway
 */
export async function fillPrompt(
  prompt: string,
  command: string,
  attached: readonly Attachment[],
  source: PromptSource,
): Promise<UserMessage> {
  const { selection, file, inputs } = variablesOf(prompt);
  if (inputs.length > maxInputs) {
    throw new UserError(vscode.l10n.t('A prompt can have up to {0} inputs.', maxInputs));
  }
  const code = {
    ...(selection && { selection: await source.selection() }),
    ...(file && { file: await source.file() }),
  };
  const typed = new Map<string, string>();
  for (const [index, input] of inputs.entries()) {
    const step = inputs.length === 1 ? '' : `${index + 1}/${inputs.length}`;
    typed.set(input.name, await source.input(input, command, step));
  }
  // A file name must not act as an instruction.
  const nameOf = (attachment: Attachment): string => JSON.stringify(attachmentLabel(attachment));
  const values = {
    ...(code.selection && { selection: nameOf(code.selection) }),
    ...(code.file && { file: nameOf(code.file) }),
    inputs: typed,
  };
  const attachments = Object.values(code).reduce(withAttachment, attached);
  return { text: fillVariables(prompt, values), attachments };
}

/** Values from the active editor, and from an input box. */
export function editorValues(maySend: MaySend, dialogs: Dialogs): PromptSource {
  return {
    selection: () => attachedCode(maySend, true),
    file: () => attachedCode(maySend, false),
    async input({ name, placeholder }, command, step) {
      const typed = await dialogs.prompt({
        title: [`/${command}`, step].filter((part) => part !== '').join(' '),
        prompt: visibleName(name),
        placeholder: placeholder === '' ? undefined : visibleName(placeholder),
        check: () => undefined,
      });
      if (typed === undefined) throw nothingSent();
      return typed;
    },
  };
}

async function attachedCode(maySend: MaySend, isSelection: boolean): Promise<Attachment> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || (isSelection && editor.selection.isEmpty)) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  const { document, selection } = editor;
  const name = visibleName(labelFor(document.uri));
  const code = attachmentOf(document, isSelection ? selection : undefined, newId());
  if (code === undefined) throw new UserError(vscode.l10n.t('{0} is empty.', name));
  if (code.text.length > maxCharacters) {
    throw new UserError(
      vscode.l10n.t('{0} is too large to attach in full. Select some code first.', name),
    );
  }
  if (!(await maySend(document.uri, code.text))) throw nothingSent();
  return { ...code, kind: isSelection ? 'selection' : 'file' };
}

export function nothingSent(): UserError {
  return new UserError(vscode.l10n.t('Nothing was sent.'));
}
