import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import { ToolError } from '../support/toolError.ts';
import { readKnownFile, type FileSystemView } from '../files/disk.ts';
import type { Location, Target } from '../files/places.ts';

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
  read(location: Location): Promise<Uint8Array>;
}

/** The disk and the editor, used to inspect files before they are opened. */
export interface OpenedFilesView {
  /** Undefined without a local disk. */
  readonly view: FileSystemView | undefined;
  /** Undefined if the person, not a tool, opens files. */
  readonly editor: EditorView | undefined;
}

/**
 * Extensions of data and markup. An editor may fetch the addresses in such a file by itself: a
 * schema, an import, a part of it (threats: T25). Also matches the id of a language after a dot.
 */
const dataOrMarkup =
  /\.(?:json\w?|jsonld|geojson|har|webmanifest|code-workspace|ipynb|ya?ml|toml|xml|xsd|xslt?|dtd|rng|wsdl|xaml|plist|svg|x?html?|mdx?|markdown|css|s[ac]ss|less|\w+rc)$/i;

/** Maximum size of an opened file, including outputs of a notebook. */
const maxBytes = { document: 2_000_000, cells: 20_000_000 };

/** True if a change adds an address with a scheme to a file in a data or markup language. */
export function addsAddress(
  { named, location }: Pick<Target, 'named' | 'location'>,
  { before, after }: { readonly before: string; readonly after: string },
): boolean {
  if (![named, location].some(({ path }) => dataOrMarkup.test(path))) return false;
  const known = new Set(addressesIn(before));
  return addressesIn(after).some((address) => !known.has(address));
}

/**
 * The addresses with a scheme in a file in a data or markup language that a call opens in VS Code.
 * Undefined if there are none or it is open already; empty for the outputs of a notebook, which are
 * pages with scripts.
 *
 * @throws {ToolError} if the file is too large to inspect
 */
export async function addressesByOpening(
  target: Target,
  openedAs: OpenableTarget['openedAs'] | undefined,
  { view, editor }: OpenedFilesView,
): Promise<readonly string[] | undefined> {
  const { kind, named, location, identity, label } = target;
  const opened = kind === 'file' ? editor?.opens(target, openedAs) : undefined;
  if (editor === undefined || opened === undefined) return undefined;
  if (opened === 'notebook') return [];
  const counts =
    opened === 'cells' || [named, location].some(({ path }) => dataOrMarkup.test(path));
  if (!counts) return undefined;
  const limit = maxBytes[opened];
  const bytes =
    view !== undefined && location.scheme === 'file'
      ? await readKnownFile(view, location, { identity }, limit + 1)
      : await editor.read(location);
  if (bytes.length > limit) throw new ToolError(`${label} is too large to open.`);
  // In UTF-16, each letter of an address is beside a zero.
  const text = new TextDecoder().decode(bytes).replaceAll('\0', '');
  const notebook = opened === 'cells' ? jupyter.safeParse(parseJson(text)).data : undefined;
  const addresses = notebook === undefined ? addressesIn(text) : addressesInCells(notebook);
  return addresses.length > 0 ? addresses : undefined;
}

const jupyter = z.object({
  metadata: z.optional(
    z.object({
      kernelspec: z.optional(z.object({ language: z.optional(z.string()) })),
      language_info: z.optional(z.object({ name: z.optional(z.string()) })),
    }),
  ),
  cells: z.array(
    z.object({
      source: z.union([z.string(), z.array(z.string())]),
      metadata: z.optional(
        z.object({ vscode: z.optional(z.object({ languageId: z.optional(z.string()) })) }),
      ),
    }),
  ),
});

/** The addresses in the cells that are in a data or markup language. */
function addressesInCells({ metadata: usual, cells }: z.infer<typeof jupyter>): readonly string[] {
  const languages = [usual?.language_info?.name, usual?.kernelspec?.language];
  return cells
    .filter(({ metadata }) =>
      [metadata?.vscode?.languageId, ...languages].some((name) =>
        dataOrMarkup.test(`.${name ?? ''}`),
      ),
    )
    .flatMap(({ source }) => addressesIn([source].flat().join('')));
}

/** With one letter it is a drive. Some programs need no slashes after `https:`. */
const scheme = String.raw`(?:https?:|[\w+.-]{2,}:[/\\]{2})`;
/** An address in quotation marks ends with them, any other one with white space. */
const address = new RegExp(
  String.raw`(?<=")${scheme}[^"\n]+|(?<=')${scheme}[^'\n]+|(?<![\w+.-])${scheme}\S+`,
  'gi',
);

/** The addresses with a scheme in a text, as it is and with its escapes decoded. */
function addressesIn(text: string): readonly string[] {
  const spellings = new Set([text, unescaped(text)]);
  return [...new Set([...spellings].flatMap((spelling) => spelling.match(address) ?? []))];
}

/** A character of YAML, XML, JSON or CSS. */
const escapedHex =
  /\\x[\da-fA-F]{2}|&#x[\da-fA-F]{1,6};?|\\u[\da-fA-F]{4}|\\U[\da-fA-F]{8}|\\[\da-fA-F]{1,6}\s?/g;

/** Decodes the escapes of JSON, YAML, CSS and XML. Line breaks in an address make no difference. */
function unescaped(text: string): string {
  return text
    .replace(/\\\r?\n[^\S\n]*/g, '')
    .replace(escapedHex, (hex) => character(Number.parseInt(hex.replace(/^\W+[xuU]?/, ''), 16)))
    .replace(/&#\d{1,7};?/g, (decimal) => character(Number.parseInt(decimal.slice(2), 10)))
    .replace(/\\[nrt]/g, '')
    .replace(/\\([^])/g, '$1');
}

function character(code: number): string {
  return code < 0x20 || code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
}
