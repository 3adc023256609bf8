import * as l10n from '@vscode/l10n';
import { readBase64, scaledImage } from '../parts/scaledImage.ts';
import type { Store } from '../state/store.ts';
import { requestFor } from '../state/writtenMessage.ts';

/** Limit of one request. More files are better attached as a folder. */
const maxAddresses = 100;
const maxAddressLength = 5000;

/** Maximum bytes of an image to scale down; a larger one would use up the page's memory. */
const maxFileBytes = 50_000_000;

/** @returns true when the host has attached the files */
export async function attachAddresses(
  store: Store,
  addresses: string[],
  edited: string | undefined,
): Promise<boolean> {
  if (addresses.length <= maxAddresses)
    return store.request('attach-addresses', { addresses, ...requestFor(edited) });
  store.refuse(l10n.t('You can attach up to {0} files at a time.', maxAddresses));
  return false;
}

/**
 * Attaches files whose bytes alone are available, such as a pasted image. Only images are accepted.
 */
export function attachFiles(
  store: Store,
  files: readonly File[],
  edited: string | undefined,
): Promise<void> {
  const attaching = attachAll(store, files, edited);
  store.waitFor(attaching);
  return attaching;
}

async function attachAll(
  store: Store,
  files: readonly File[],
  edited: string | undefined,
): Promise<void> {
  for (const file of files) await attachFile(store, file, edited);
}

async function attachFile(store: Store, file: File, edited: string | undefined): Promise<void> {
  if (!file.type.startsWith('image/')) {
    store.refuse(
      l10n.t(
        "{0} isn't a supported image. To attach files, use the Attach… button or drag them from the Explorer.",
        file.name,
      ),
    );
    return;
  }
  // Another chat may be visible when it is scaled.
  const chat = store.id.peek();
  const image = file.size > maxFileBytes ? undefined : await scaledImage(file);
  if (image === undefined) {
    store.refuse(l10n.t("{0} can't be read as an image.", file.name));
    return;
  }
  const name = file.name.slice(0, 200);
  const base64 = await readBase64(image);
  await store.request('attach-image', { name, base64, ...requestFor(edited) }, chat);
}

/** Prefers VS Code's list of dragged resources to the standard one, which any program can set. */
export function draggedAddresses(data: DataTransfer): string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return linesOf(list).filter((line) => !/^(?:#|https?:)/i.test(line) && isShort(line));
}

/** The file paths and URIs in a text; empty if the text contains anything else. */
export function pastedAddresses(text: string): string[] {
  if (text.length > maxAddresses * maxAddressLength) return [];
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
/** A path has at least two segments: `/explain` is a command. */
const path = /^(?:\/[^/\s](?:[^/]*[^/\s])?){2,}\/?$/;
const windowsPath = /^[a-z]:[\\/][^<>"|?*]+$/i;
