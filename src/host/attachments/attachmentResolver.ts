import * as vscode from 'vscode';
import { imagesIn } from '../../core/conversation/attachedImage.ts';
import type { AttachedImage, Attachment } from '../../core/conversation/conversation.ts';
import { renderFiles } from '../../core/files/searchResults.ts';
import { orUndefined } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { newId } from '../../core/support/id.ts';
import { bytesOfBase64, maxImageBytes, readImageHeader } from '../../core/support/image.ts';
import { lastSegment, oneLine, truncateText, visibleName } from '../../core/support/text.ts';
import { locateDropped } from '../../core/files/resolveTarget.ts';
import type { CallParameters } from '../../protocol/rpc.ts';
import { UserError } from '../platform/errors.ts';
import { requireImageRoom } from '../platform/imageLimits.ts';
import { statOf } from '../platform/files.ts';
import { cellScheme, labelFor, toLocation, toUri, workspaceFolders } from '../platform/location.ts';
import { isNotebook, notebookText } from '../platform/notebooks.ts';
import { attachmentOf } from '../platform/selection.ts';
import type { AttachmentApproval } from '../context/attachmentApproval.ts';
import type { Dialogs, PickItem } from '../platform/dialogs.ts';
import { chatViewId } from '../contributions.ts';
import { symbolKindName } from '../platform/symbols.ts';
import { attachmentIcons } from './contextChips.ts';

/** An owner of attachments: the next message, or an earlier one that is being edited. */
export interface AttachmentHolder {
  readonly attachments: readonly Attachment[];
  /** Adds an attachment, or replaces the one with its id or its lines. */
  attach(attachment: Attachment): void;
  remove(id: string): void;
}

/** A pasted or dropped image: its name, and its bytes in base64. */
interface GivenImage {
  readonly name: string;
  readonly base64: string;
}

interface AttachmentResolverOptions {
  readonly composer: AttachmentHolder;
  readonly approval: AttachmentApproval;
  readonly dialogs: Dialogs;
  /** Paths of the files in a folder, relative to it. */
  readonly filesIn: (folder: vscode.Uri) => Promise<readonly string[]>;
  /** @throws {UserError} if the selected model takes no images */
  readonly requireImages: () => void;
  /** Stores an image with the chat; undefined if it has no format that services accept. */
  readonly saveImage: (bytes: Uint8Array<ArrayBuffer>) => Promise<AttachedImage | undefined>;
}

/** The most problems that one message tells of. */
const mostProblems = 3;
/** The most bytes that are read to detect an image. A larger file is refused by its size. */
const maxReadImage = 4 * maxImageBytes;

/** Attaches files, folders and parts of files, with approval if needed. */
export class AttachmentResolver {
  readonly #options: AttachmentResolverOptions;

  constructor(options: AttachmentResolverOptions) {
    this.#options = options;
  }

  /** Attaches a file, a part of it, or the list of the files in a folder. */
  async attach(uri: vscode.Uri, range?: vscode.Range, kind?: Attachment['kind']): Promise<void> {
    const isFile = uri.scheme !== 'untitled' && uri.scheme !== cellScheme;
    const stat = isFile ? await statOf(uri) : undefined;
    if (stat !== undefined && (stat.type & vscode.FileType.Directory) !== 0) {
      return this.#attachFolder(uri);
    }
    await this.#attachText(uri, { range, kind, isNamed: false });
  }

  /** Attaches dropped or pasted files by address or path, as many as it can. */
  async attachAddresses(addresses: readonly string[]): Promise<void> {
    const problems: string[] = [];
    for (const address of addresses) {
      try {
        const uri = uriOf(address);
        const stat = await statOf(uri);
        if (stat === undefined)
          throw new UserError(vscode.l10n.t("Can't find the file {0}.", visibleName(address)));
        if ((stat.type & vscode.FileType.Directory) === 0)
          await this.#attachText(uri, { isNamed: true });
        else if (await this.#options.approval.mayRead(uri, true)) await this.#attachFolder(uri);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        problems.push(error.message);
      }
    }
    if (problems.length === 0) return;
    // More would fill the panel. One more takes no more room than saying so.
    const shown = problems.length <= mostProblems + 1 ? problems.length : mostProblems;
    const more = counted(
      vscode.l10n.t("{0} more files couldn't be attached."),
      problems.length - shown,
      vscode.env.language,
    );
    const lines = problems.slice(0, shown);
    throw new UserError([...lines, ...(shown < problems.length ? [more] : [])].join(' '));
  }

  /** Attaches a text that is no file. */
  attachText(kind: 'problems' | 'changes' | 'terminal', name: string, text: string): void {
    const { composer } = this.#options;
    const language = kind === 'changes' ? 'diff' : '';
    const cut =
      text.length <= maxCharacters ? text : `${truncateText(text, maxCharacters)}\n(truncated)`;
    composer.attach({ id: newId(), kind, name, path: name, language, text: cut });
  }

  /** Attaches pasted text rather than inserting it into the field. */
  async attachPasted({ id, text, language }: CallParameters['attach-text']): Promise<void> {
    const { approval, composer } = this.#options;
    const lines = text.replace(/\n$/, '').split('\n').length;
    const name =
      lines === 1
        ? vscode.l10n.t('Pasted text')
        : counted(vscode.l10n.t('Pasted text ({0} lines)'), lines, vscode.env.language);
    if (await approval.maySendPasted(name, text))
      composer.attach({ id, kind: 'pasted', name, path: name, language, text });
  }

  /** Attaches an image that is no file. */
  async attachImage({ name, base64 }: GivenImage): Promise<void> {
    const bytes = bytesOfBase64(base64);
    const label = name === '' ? vscode.l10n.t('Pasted image') : oneLine(name);
    await this.#attachBytes(bytes ?? new Uint8Array(), label, '');
  }

  /**
   * Replaces an image file by the smaller image that a page made of it.
   * @returns the one of both that is not in the message, for the caller to release
   */
  async scaleImage(id: string, base64: string): Promise<AttachedImage | undefined> {
    const { composer, saveImage } = this.#options;
    const original = composer.attachments.find((attachment) => attachment.id === id);
    const bytes = bytesOfBase64(base64);
    // Two pages may show the same chat.
    if (original?.image?.isOriginal !== true || bytes === undefined) return undefined;
    const image = await saveImage(bytes);
    const isThere = composer.attachments.includes(original);
    if (image !== undefined && isThere) composer.attach({ ...original, image });
    return isThere ? original.image : image;
  }

  /** Attaches an image according to its bytes, regardless of its name. */
  async #attachBytes(bytes: Uint8Array<ArrayBuffer>, name: string, path: string): Promise<void> {
    const { composer, requireImages, saveImage } = this.#options;
    requireImages();
    requireImageRoom(bytes.length, imagesIn([composer]));
    const image = await saveImage(bytes);
    if (image === undefined)
      throw new UserError(vscode.l10n.t('Unsupported image format. Use PNG, JPEG, WebP or GIF.'));
    const saved = path === '' ? image : { ...image, isOriginal: true };
    const fields = { name, path, language: '', text: '' };
    composer.attach({ id: newId(), kind: 'image', ...fields, image: saved });
  }

  /** Attaches a file unchanged if it is an image. Resolves with true if it is one. */
  async #attachImageFile(uri: vscode.Uri): Promise<boolean> {
    const { size = 0 } = (await statOf(uri)) ?? {};
    if (size > maxReadImage) return false;
    const bytes = new Uint8Array(await vscode.workspace.fs.readFile(uri));
    if (readImageHeader(bytes) === undefined) return false;
    await this.#options.approval.requireSame(uri);
    const path = labelFor(uri);
    await this.#attachBytes(bytes, lastSegment(path), path);
    return true;
  }

  async #attachText(
    uri: vscode.Uri,
    options: {
      readonly range?: vscode.Range | undefined;
      readonly kind?: Attachment['kind'];
      readonly isNamed: boolean;
    },
  ): Promise<void> {
    const { approval, composer, dialogs } = this.#options;
    if (!(await approval.mayRead(uri, options.isNamed))) return;
    if (isNotebook(uri)) return this.#attachCells(uri);
    // A file that isn't text may be an image.
    const document = await orUndefined(vscode.workspace.openTextDocument(uri));
    if (document === undefined && (await this.#attachImageFile(uri))) return;
    if (document === undefined)
      throw new UserError(vscode.l10n.t("{0} can't be read as text.", visibleName(labelFor(uri))));
    await approval.requireSame(uri);
    const whole = attachmentOf(document, options.range, newId());
    if (whole === undefined) {
      throw new UserError(vscode.l10n.t('{0} is empty.', visibleName(labelFor(document.uri))));
    }
    const isShort = whole.text.length <= maxCharacters;
    for (const attachment of isShort ? [whole] : await chooseParts(document, dialogs)) {
      if (!(await approval.maySend(uri, attachment.text))) return;
      const kind = options.kind ?? (attachment.range === undefined ? 'file' : 'selection');
      composer.attach({ ...attachment, kind });
    }
  }

  /** Attaches the cells of a notebook, without their outputs. */
  async #attachCells(uri: vscode.Uri): Promise<void> {
    const { approval, composer, dialogs } = this.#options;
    const all = await notebookParts(uri, dialogs);
    await approval.requireSame(uri);
    for (const attachment of all) {
      if (!(await approval.maySend(uri, attachment.text))) return;
      composer.attach(attachment);
    }
  }

  /** Attaches the names of the files, without reading them. */
  async #attachFolder(uri: vscode.Uri): Promise<void> {
    const { composer, filesIn } = this.#options;
    const path = `${labelFor(uri).replace(/\/$/, '')}/`;
    const text = renderFiles(await filesIn(uri));
    const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
    composer.attach({ id: newId(), kind: 'folder', name, path, language: '', text });
  }
}

/** @throws {UserError} if it is neither an address of a file nor an absolute path */
function uriOf(addressOrPath: string): vscode.Uri {
  const text = addressOrPath.trim();
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return uriOfAddress(text);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (/^([a-z]:[\\/]|\/(?!\/))/i.test(text)) {
    return folder === undefined || folder.uri.scheme === 'file'
      ? vscode.Uri.file(text)
      : folder.uri.with({ path: text });
  }
  throw noAddress(text);
}

function uriOfAddress(text: string): vscode.Uri {
  const address = toLocation(vscode.Uri.parse(text));
  const folders = workspaceFolders().map(({ location }) => location);
  const location = locateDropped(address, { remote: vscode.env.remoteName, folders });
  if (location !== undefined) return toUri(location);
  if (address.scheme === 'file' || /^https?$/.test(address.scheme)) throw noAddress(text);
  throw new UserError(
    vscode.l10n.t("Can't attach {0}: this window has no access to it.", visibleName(text)),
  );
}

function noAddress(text: string): UserError {
  return new UserError(vscode.l10n.t("{0} isn't a valid file path or address.", visibleName(text)));
}

/** The most characters of a cell's beginning that a list shows. */
const maxShown = 80;

/**
 * A notebook as its cells without outputs, or the cells that the person chooses of a long one.
 * @throws {UserError} if VS Code can't open it, or it is empty
 */
async function notebookParts(uri: vscode.Uri, dialogs: Dialogs): Promise<readonly Attachment[]> {
  const path = labelFor(uri);
  const notebook = await orUndefined(vscode.workspace.openNotebookDocument(uri));
  if (notebook === undefined)
    throw new UserError(vscode.l10n.t("{0} can't be opened as a notebook.", visibleName(path)));
  const text = notebookText(notebook);
  if (text === '') throw new UserError(vscode.l10n.t('{0} is empty.', visibleName(path)));
  if (text.length <= maxCharacters) {
    const name = lastSegment(path);
    return [{ id: newId(), kind: 'file', name, path, language: '', text }];
  }
  return chooseCells(notebook, dialogs);
}

async function chooseCells(
  notebook: vscode.NotebookDocument,
  dialogs: Dialogs,
): Promise<readonly Attachment[]> {
  const choices = notebook.getCells().flatMap((cell) => {
    const text = cell.document.getText();
    if (text.trim() === '' || text.length > maxCharacters) return [];
    const label = vscode.l10n.t('Cell {0}', cell.index + 1);
    return [{ label, description: oneLine(text, maxShown), value: cell }];
  });
  const name = visibleName(labelFor(notebook.uri));
  const title = vscode.l10n.t('{0} is too large to attach in full. Select parts.', name);
  const chosen = await dialogs.pickSeveral(choices, title);
  return chosen.flatMap(({ document }) => {
    const attachment = attachmentOf(document, undefined, newId());
    return attachment === undefined ? [] : [{ ...attachment, kind: 'selection' as const }];
  });
}

/** The maximum characters of a file or of another text that is attached in full. */
export const maxCharacters = 100_000;
/** Number of lines in each part of a file without symbols. */
const linesOfPart = 500;

/** Lets the person choose parts of a file that is too large to attach. */
async function chooseParts(
  document: vscode.TextDocument,
  dialogs: Dialogs,
): Promise<readonly Attachment[]> {
  const name = visibleName(labelFor(document.uri));
  // The symbols of a file that was not opened yet can take seconds.
  const symbols = await vscode.window.withProgress({ location: { viewId: chatViewId } }, () =>
    symbolParts(document),
  );
  const choices = [...symbols, ...lineParts(document)];
  const title = vscode.l10n.t('{0} is too large to attach in full. Select parts.', name);
  const chosen = await dialogs.pickSeveral(choices, title);
  return chosen.flatMap((range) => attachmentOf(document, range, newId()) ?? []);
}

async function symbolParts(
  document: vscode.TextDocument,
): Promise<readonly PickItem<vscode.Range>[]> {
  const symbols = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', document.uri);
  return (symbols ?? []).flatMap((symbol) => {
    const range = 'range' in symbol ? symbol.range : symbol.location.range;
    if (lengthOf(document, range) > maxCharacters) return [];
    const lines = range.isSingleLine
      ? vscode.l10n.t('line {0}', range.start.line + 1)
      : vscode.l10n.t('lines {0}–{1}', range.start.line + 1, range.end.line + 1);
    const description = `${symbolKindName(symbol.kind)}, ${lines}`;
    return [{ label: symbol.name, description, icon: attachmentIcons.symbol, value: range }];
  });
}

function lineParts(document: vscode.TextDocument): readonly PickItem<vscode.Range>[] {
  const count = Math.ceil(document.lineCount / linesOfPart);
  const ranges = Array.from({ length: count }, (_, part) => {
    const last = Math.min(document.lineCount, (part + 1) * linesOfPart) - 1;
    return new vscode.Range(part * linesOfPart, 0, last, document.lineAt(last).text.length);
  });
  return ranges
    .filter((range) => lengthOf(document, range) <= maxCharacters)
    .map((range) => ({
      label: vscode.l10n.t('Lines {0}–{1}', range.start.line + 1, range.end.line + 1),
      value: range,
    }));
}

function lengthOf(document: vscode.TextDocument, range: vscode.Range): number {
  return document.offsetAt(range.end) - document.offsetAt(range.start);
}
