import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import { ToolError } from '../support/toolError.ts';
import { readKnownFile, type FileSystemView } from '../workspace/disk.ts';
import type { Location, Target } from '../workspace/places.ts';
import { addsReferenceToRemote, type FollowContext } from './followedReferences.ts';
import { asciiOf, loadedAddresses, schemaAddresses } from './remoteReference.ts';

/** A target that may be opened in VS Code. */
export interface OpenableTarget extends Target {
  /** `document`: only language extensions get the file; `editor`: it is also visible. */
  readonly openedAs: 'document' | 'editor';
}

/** The part of VS Code that opens files. */
export interface EditorView {
  /**
   * Returns how VS Code would open a target for a call; undefined if it is open already. Notebooks
   * are also opened for reading, so that their cells become documents. In an editor they show their
   * outputs.
   *
   * @param openedAs undefined if the call only reads the file
   */
  opens(
    target: Target,
    openedAs: OpenableTarget['openedAs'] | undefined,
  ): 'document' | 'cells' | 'notebook' | undefined;
  /** Addresses of schemas that workspace settings assign to files like this one. */
  assigned(target: Target): readonly string[];
  read(location: Location): Promise<Uint8Array>;
}

/** The disk and the editor, used to inspect files before they are opened. */
export interface OpenedFilesView {
  /** Undefined without a local disk. */
  readonly view: FileSystemView | undefined;
  /** Undefined if the person, not a tool, opens files. */
  readonly editor: EditorView | undefined;
  /** True for what is in the folder of an allowed skill. Takes a location with links followed. */
  readonly isOfSkill?: (location: Location) => Promise<boolean>;
}

/** Maximum size of an opened file, including outputs of a notebook. */
const maxBytes = { document: 2_000_000, cells: 20_000_000, notebook: 20_000_000 };

/**
 * The addresses that VS Code or a language extension may load when a call opens a file (threats:
 * T25). Undefined if it loads nothing; empty if the addresses can't be determined.
 *
 * @throws {ToolError} if the file is too large to inspect
 */
export async function loadedByOpening(
  target: Target,
  openedAs: OpenableTarget['openedAs'] | undefined,
  context: FollowContext,
  { view, editor }: OpenedFilesView,
): Promise<readonly string[] | undefined> {
  const opened = target.kind === 'file' ? editor?.opens(target, openedAs) : undefined;
  if (editor === undefined || opened === undefined) return undefined;
  // Outputs are pages with scripts, which can load addresses without containing them.
  if (opened === 'notebook') return [];
  const text = asciiOf(await readWhole(target, maxBytes[opened], { view, editor }));
  const inside = opened === 'cells' ? addressesOfCells(text) : loadedAddresses(text);
  const addresses = [...new Set([...inside, ...editor.assigned(target)])];
  if (addresses.length > 0) return addresses;
  const changed = { before: '', after: text };
  return (await addsReferenceToRemote(target, changed, context, view)) ? [] : undefined;
}

async function readWhole(
  { location, identity, label }: Target,
  limit: number,
  { view, editor }: { readonly view: FileSystemView | undefined; readonly editor: EditorView },
): Promise<Uint8Array> {
  const onDisk = view !== undefined && location.scheme === 'file';
  const bytes = onDisk
    ? await readKnownFile(view, location, { identity }, limit + 1)
    : await editor.read(location);
  if (bytes.length > limit) throw new ToolError(`${label} is too large to open.`);
  return bytes;
}

const jupyter = z.object({
  cells: z.array(z.object({ source: z.union([z.string(), z.array(z.string())]) })),
});

/** A notebook in another format can contain a schema's address anywhere. */
function addressesOfCells(text: string): readonly string[] {
  const { success, data } = jupyter.safeParse(parseJson(text));
  if (!success) return schemaAddresses(text);
  return data.cells.flatMap(({ source }) => loadedAddresses([source].flat().join('')));
}
