import * as l10n from '@vscode/l10n';
import type { ViewRequest } from '../../protocol/messages.ts';
import type { Store } from '../state/store.ts';
import { requestFor, type WrittenMessage } from '../state/writtenMessage.ts';

type ImageType = Extract<ViewRequest, { type: 'attach-image' }>['mime'];

/** The limit of one request; a larger selection is better attached as a folder. */
const maxAddresses = 100;
const maxAddressLength = 5000;

const imageTypes: readonly ImageType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const maxImageBytes = 5_000_000;

/** The message that files are attached to. */
type Target = Pick<WrittenMessage, 'edited'>;

/** @returns true once the host has attached the files */
export async function attachAddresses(
  store: Store,
  addresses: string[],
  target: Target,
): Promise<boolean> {
  if (addresses.length <= maxAddresses)
    return store.request({ type: 'attach-addresses', addresses, ...requestFor(target) });
  store.refuse(l10n.t('You can attach up to {0} files at a time.', maxAddresses));
  return false;
}

/**
 * Attaches files whose bytes alone are available, such as a pasted image. Only images are accepted.
 */
export async function attachFiles(
  store: Store,
  files: readonly File[],
  target: Target,
): Promise<void> {
  for (const file of files) await attachFile(store, file, target);
}

async function attachFile(store: Store, file: File, target: Target): Promise<void> {
  const mime = imageTypes.find((type) => type === file.type);
  if (mime === undefined) store.refuse(notAnImage(file.name));
  else if (file.size > maxImageBytes) store.refuse(l10n.t('Images can be up to 5 MB.'));
  else {
    const name = file.name.slice(0, 200);
    const base64 = await readBase64(file);
    await store.request({ type: 'attach-image', name, mime, base64, ...requestFor(target) });
  }
}

function notAnImage(name: string): string {
  return l10n.t(
    "{0} isn't a supported image. To attach files, use the Attach… button or drag them from the Explorer.",
    name,
  );
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const { result } = reader;
      resolve(typeof result === 'string' ? result.slice(result.indexOf(',') + 1) : '');
    };
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}

/** Prefers VS Code's own list of dragged resources over the one that any program can set. */
export function draggedAddresses(data: DataTransfer): string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return linesOf(list).filter((line) => !/^(?:#|https?:)/i.test(line) && isShort(line));
}

/** Returns the file paths and URIs in a text that holds nothing else; otherwise an empty list. */
export function pastedAddresses(text: string): string[] {
  const lines = linesOf(text);
  return lines.length <= maxAddresses && lines.every(isAddress) ? lines : [];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function isAddress(line: string): boolean {
  return isShort(line) && [uri, path, windowsPath].some((pattern) => pattern.test(line));
}

function isShort(line: string): boolean {
  return line.length <= maxAddressLength;
}

const uri = /^(?:file|vscode-remote):\/\/\S+$/;
/** At least two segments: `/explain` is a command. */
const path = /^(?:\/[^/\s](?:[^/]*[^/\s])?){2,}\/?$/;
const windowsPath = /^[a-z]:[\\/][^<>"|?*]+$/i;
