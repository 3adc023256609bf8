import { orUndefined } from '../support/background.ts';
import { trimEndOf } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import type { FileSystemView } from './disk.ts';
import {
  canPrefixPaths,
  foldCase,
  fullPath,
  isRoot,
  type Location,
  locationBelow,
  type Platform,
  relativeSegments,
  segmentsOf,
  type Target,
  withSegments,
  type WorkspaceFolder,
  workspacePath,
} from './places.ts';

/** The base of relative paths. */
export interface PathContext {
  readonly folders: readonly WorkspaceFolder[];
  readonly platform: Platform;
}

/**
 * Resolves a path that a model wrote: relative to the workspace folder, prefixed with the folder's
 * name if there are several with different names, absolute, or as a URI. The disk is not accessed
 * and nothing is expanded: `..` removes a segment, `~` is refused. White space and quotes around it
 * are dropped.
 *
 * @throws {ToolError} if the path could be interpreted in different ways (threats: T23)
 */
export function locateRequestedPath(written: string, context: PathContext): Location {
  // Models put marks of Markdown and quotes around a path.
  const text = written
    .trim()
    .replace(/^([`'"])(.+)\1$/, '$2')
    .trim();
  if (/\p{Cc}/u.test(text)) refuse('It contains a control character.');
  const isWindows = context.platform === 'windows';
  const scheme = /^[a-z][a-z\d+.-]+(?=:)/i.exec(text)?.[0];
  // File names may contain a colon on Linux and macOS; on Windows it indicates a drive or a stream.
  const isAddress =
    scheme !== undefined &&
    (isWindows || addressSchemes.test(scheme) || text.startsWith('//', scheme.length + 1));
  const { base, names } = isAddress
    ? locateAddress(text, context)
    : locatePath(isWindows ? text.replaceAll('\\', '/') : text, context);
  if (isWindows) names.forEach(refuseWindowsName);
  const resolved: string[] = [];
  for (const name of [...segmentsOf(base.path), ...names]) {
    const isDrive = isWindows && resolved.length === 1;
    if (name === '..') resolved.splice(isDrive ? 1 : resolved.length - 1, 1);
    else if (name !== '.') resolved.push(name);
  }
  return withSegments(base, resolved);
}

/** A base location, and the path segments below it as the model wrote them. */
interface Written {
  readonly base: Location;
  readonly names: readonly string[];
}

/** These schemes make a URI even without slashes. */
const addressSchemes = /^(file|untitled|vscode[a-z-]*|https?|javascript)$/i;

function locateAddress(text: string, { folders, platform }: PathContext): Written {
  const parts = /^([a-z][a-z\d+.-]+):\/\/([^/?#\\]*)(\/[^?#\\]*)$/i.exec(text);
  if (parts === null) refuse('It is not a file URI.');
  const [, scheme = '', authority = '', encoded = ''] = parts;
  if (/%(2f|5c)/i.test(encoded)) refuse('Write it without encoded slashes.');
  const location = { scheme: scheme.toLowerCase(), authority, path: decodeOnce(encoded) };
  if (/%[\da-f]{2}|\p{Cc}/iu.test(location.path)) refuse('It is encoded twice.');
  const isOurs = folders.some(
    (folder) => relativeSegments(folder.location, location) !== undefined,
  );
  if (isOurs && location.scheme !== 'file') return atRoot(location, location.path);
  if (location.scheme !== 'file' || authority !== '') {
    refuse('Only files in the workspace and on this machine can be opened.');
  }
  return localPath(location.path, platform);
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return refuse('Its percent encoding is not valid.');
  }
}

function locatePath(path: string, { folders, platform }: PathContext): Written {
  if (/^(\/\/|\\\\)/.test(path)) refuse('Network paths cannot be opened.');
  if (/^~([\\/]|$)/.test(path)) refuse('`~` is not expanded. Give the absolute path.');
  if (/%(2e|2f|5c|00)/i.test(path)) refuse('Write it without percent signs.');
  const hasDrive = platform === 'windows' && /^[a-z]:/i.test(path);
  if (!hasDrive && /^[a-z]:[\\/]/i.test(path)) refuse('This machine has no drives.');
  const [first, ...others] = folders;
  if (path.startsWith('/') || hasDrive) {
    const isVirtual = first !== undefined && first.location.scheme !== 'file';
    return isVirtual ? atRoot(first.location, path) : localPath(path, platform);
  }
  const names = segmentsOf(path);
  if (first === undefined) {
    throw new ToolError('No folder is open: give the absolute path of the file.');
  }
  if (others.length === 0) return { base: first.location, names };
  const [name, ...remaining] = names[0] === '.' ? names.slice(1) : names;
  const folder = folders.find(
    (candidate) => candidate.name === name && canPrefixPaths(name, folders),
  );
  if (folder !== undefined) return { base: folder.location, names: remaining };
  const known = folders.map((candidate) => workspacePath(candidate, [], folders)).join(', ');
  throw new ToolError(`Start the path with a workspace folder: ${known}.`);
}

function localPath(path: string, platform: Platform): Written {
  const root = { scheme: 'file', authority: '', path: '/' };
  if (platform !== 'windows') return atRoot(root, path);
  // Without a drive, or without a slash after it, the path would depend on the current folder.
  const parts = /^\/?([a-z]):(\/.*)$/i.exec(path);
  if (parts === null) refuse('Give the absolute path, with its drive.');
  const [, drive = '', pathOnDrive = ''] = parts;
  return { base: { ...root, path: `/${drive.toLowerCase()}:` }, names: segmentsOf(pathOnDrive) };
}

function atRoot(root: Location, path: string): Written {
  return { base: { ...root, path: '/' }, names: segmentsOf(path) };
}

const device = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

function refuseWindowsName(name: string): void {
  if (name === '.' || name === '..') return;
  if (/[<>:"|?*\\]/.test(name)) refuse('It contains characters that Windows does not allow.');
  if (/[. ]$/.test(name)) refuse('A name in it ends with a dot or a space.');
  if (device.test(name)) refuse('It contains a device name.');
  if (/~\d/.test(name)) refuse('It may contain a short name. Use the long name.');
}

function refuse(reason: string): never {
  throw new ToolError(`This path is not accepted. ${reason}`, 'denied');
}

/** Facts that the file system reports about a location. */
export type ResolvedFacts = Pick<
  Target,
  'location' | 'kind' | 'identity' | 'hardLinks' | 'executable'
>;

/**
 * Resolves the file or folder that a model requested. Links are followed; for a new file, those of
 * the deepest existing folder. If `view` is undefined, links cannot be resolved: only the path
 * counts, and the identity is empty.
 *
 * @param isExcluded whether the content of a workspace folder, whose links were followed, does not
 *   count as inside the workspace
 * @throws {ToolError} for a path that is refused as written; other errors if the disk cannot be
 *   read
 */
export async function resolveTarget(
  requested: string,
  context: PathContext,
  view: FileSystemView | undefined,
  isExcluded: (root: Location) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Target> {
  const named = locateRequestedPath(requested, context);
  const disk = named.scheme === 'file' ? view : undefined;
  const facts = await resolveLocation(named, view);
  const folders = await Promise.all(
    context.folders.map(async (folder) => {
      const folderDisk = folder.location.scheme === 'file' ? view : undefined;
      const root = (await folderDisk?.realPath(folder.location)) ?? folder.location;
      return { folder, root };
    }),
  );
  const innermostFirst = folders.toSorted(
    (first, second) => segmentsOf(second.root.path).length - segmentsOf(first.root.path).length,
  );
  for (const { folder, root } of innermostFirst) {
    const names = await namesBelow(root, facts.location, disk);
    if (names === undefined || (await isExcluded(root))) continue;
    const label = workspacePath(folder, names, context.folders);
    return { requested, named, ...facts, inside: true, label };
  }
  return { requested, named, ...facts, inside: false, label: fullPath(facts.location) };
}

/**
 * The names of a location below a folder; undefined if it is outside. Names that differ only in case
 * or Unicode normalization may be the same folder, depending on the volume, so the identities on
 * disk are compared.
 */
async function namesBelow(
  root: Location,
  location: Location,
  disk: FileSystemView | undefined,
): Promise<readonly string[] | undefined> {
  const exact = relativeSegments(root, location);
  if (exact !== undefined) return exact;
  const names = relativeSegments(root, location, foldCase);
  if (names === undefined || disk === undefined) return undefined;
  const all = segmentsOf(location.path);
  const ancestor = withSegments(location, all.slice(0, all.length - names.length));
  const [rootStatus, ancestorStatus] = await Promise.all([
    disk.status(root),
    disk.status(ancestor),
  ]);
  const isSame = rootStatus !== undefined && rootStatus.identity === ancestorStatus?.identity;
  return isSame ? names : undefined;
}

/**
 * Follows the links of a location. A missing file is located below the deepest existing folder.
 *
 * @param view undefined if links cannot be resolved: a file is assumed then
 * @throws if the disk can't be read
 */
export async function resolveLocation(
  named: Location,
  view: FileSystemView | undefined,
): Promise<ResolvedFacts> {
  const disk = named.scheme === 'file' ? view : undefined;
  if (disk === undefined)
    return { location: named, kind: 'file', identity: '', hardLinks: 1, executable: false };
  const names = segmentsOf(named.path);
  for (let depth = names.length; depth >= 0; depth--) {
    const ancestor = await disk.realPath(withSegments(named, names.slice(0, depth)));
    if (ancestor === undefined) continue;
    const status = await disk.status(ancestor);
    // It existed a moment ago: the disk changed during the check.
    if (status === undefined) throw new Error('The file changed while it was being checked.');
    if (depth === names.length) return { location: ancestor, ...status };
    const location = locationBelow(ancestor, names.slice(depth));
    const { identity } = status;
    return { location, kind: 'missing', identity, hardLinks: 1, executable: false };
  }
  throw new Error('No part of this path exists.');
}

/** Schemes under which the root is the root of a whole disk, not of a small virtual file system. */
const diskSchemes = new Set(['file', 'vscode-remote']);

/** Folders, other than `/` and drives, that contain a whole disk: of WSL, macOS and a chroot. */
const wholeDisks = /^\/(?:mnt\/[a-z]|System\/Volumes\/[^/]+|proc\/[^/]+\/root)$/i;

/**
 * True if a workspace folder is so broad that its files can't count as the workspace's own: the
 * root of a disk, the home folder, or a parent of it. A repository can add such a folder in a
 * `.code-workspace` file, or as a link (threats: T22).
 *
 * @param root the folder with links followed
 * @param home the home folder with links followed, if there is one
 * @param view undefined without a local disk
 */
export async function isBroadRoot(
  root: Location,
  home: Location | undefined,
  view: FileSystemView | undefined,
): Promise<boolean> {
  if (!diskSchemes.has(root.scheme)) return false;
  if (isRoot(root) || wholeDisks.test(trimEndOf(root.path, '/'))) return true;
  // The root of a share is a disk of another machine.
  const isShare = root.scheme === 'file' && root.authority !== '';
  if (isShare && segmentsOf(root.path).length < 2) return true;
  if (home === undefined) return false;
  if (relativeSegments(root, home, foldCase) !== undefined) return true;
  if (root.scheme !== 'file' || view === undefined) return false;
  // A folder can be mounted twice: then only its identity shows that it is the same. A home folder
  // that cannot be examined is only compared by its path.
  const rootStatus = await orUndefined(view.status(root));
  if (rootStatus === undefined) return false;
  const names = segmentsOf(home.path);
  const parents = [...names.keys(), names.length].map((count) =>
    withSegments(home, names.slice(0, count)),
  );
  const others = await Promise.all(parents.map((parent) => orUndefined(view.status(parent))));
  return others.some((other) => other?.identity === rootStatus.identity);
}

/** The window into which files are dropped. */
export interface DropWindow {
  /**
   * Name of the machine that the window is connected to, without a suffix after `+`: `ssh-remote`,
   * `wsl`, or the host and port of a served VS Code. Undefined for a local window.
   */
  readonly remote: string | undefined;
  readonly folders: readonly Location[];
}

/** Scheme that VS Code's user interface uses for files of the machine with the extension. */
const remoteScheme = 'vscode-remote';

/**
 * The file that an address from VS Code's user interface means for an extension; undefined if this
 * window can't reach it. In a remote window, files have `vscode-remote:` addresses, but are local
 * files for the extension, which runs there. Files of other file systems, such as `vscode-vfs:`,
 * must be in one that the workspace uses.
 */
export function locateDropped(address: Location, into: DropWindow): Location | undefined {
  const { scheme, authority, path } = address;
  const isOfFolder = into.folders.some(
    (folder) => folder.scheme === scheme && isSameAuthority(folder.authority, authority),
  );
  if (isOfFolder) return address;
  if (scheme === 'file') return authority === '' ? address : undefined;
  const [name = ''] = authority.split('+');
  const isThisMachine = name !== '' && isSameAuthority(name, into.remote ?? '');
  if (scheme !== remoteScheme || !isThisMachine) return undefined;
  return { scheme: 'file', authority: '', path };
}

/** Host names ignore case. */
function isSameAuthority(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}
