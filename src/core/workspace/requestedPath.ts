import { ToolError } from '../support/toolError.ts';
import {
  canPrefixPaths,
  workspacePath,
  relativeSegments,
  segmentsOf,
  withSegments,
  type Platform,
  type WorkspaceFolder,
  type Location,
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
export function locateRequestedPath(written: string, pathContext: PathContext): Location {
  // Models put marks of Markdown and quotes around a path.
  const text = written
    .trim()
    .replace(/^([`'"])(.+)\1$/, '$2')
    .trim();
  if (/\p{Cc}/u.test(text)) refuse('It contains a control character.');
  const isWindows = pathContext.platform === 'windows';
  const { base, names } = isAddress(text, isWindows)
    ? ownUri(text, pathContext)
    : plainPath(isWindows ? text.replaceAll('\\', '/') : text, pathContext);
  if (isWindows) names.forEach(refuseWindowsName);
  return withSegments(base, resolveDots([...segmentsOf(base.path), ...names], isWindows));
}

/** A base location, and the path segments below it as the model wrote them. */
interface Written {
  readonly base: Location;
  readonly names: readonly string[];
}

/** These schemes make a URI even without slashes. */
const schemes = /^(file|untitled|vscode[a-z-]*|https?|javascript)$/i;

/**
 * File names may contain a colon on Linux and macOS; on Windows it indicates a drive or a stream.
 */
function isAddress(text: string, isWindows: boolean): boolean {
  const scheme = /^[a-z][a-z\d+.-]+(?=:)/i.exec(text)?.[0];
  if (scheme === undefined) return false;
  return isWindows || schemes.test(scheme) || text.startsWith('//', scheme.length + 1);
}

function ownUri(text: string, { folders, platform }: PathContext): Written {
  const parts = /^([a-z][a-z\d+.-]+):\/\/([^/?#\\]*)(\/[^?#\\]*)$/i.exec(text);
  if (parts === null) refuse('It is not a file URI.');
  const [, scheme = '', authority = '', encoded = ''] = parts;
  const location = { scheme: scheme.toLowerCase(), authority, path: decoded(encoded) };
  const isOurs = folders.some(
    (folder) => relativeSegments(folder.location, location) !== undefined,
  );
  if (isOurs && location.scheme !== 'file') return atRoot(location, location.path);
  if (location.scheme !== 'file' || authority !== '') {
    refuse('Only files in the workspace and on this machine can be opened.');
  }
  return localPath(location.path, platform);
}

/**
 * Decodes once. A path that is still encoded after that, or that would become a different one, is
 * refused.
 */
function decoded(path: string): string {
  if (/%(2f|5c)/i.test(path)) refuse('Write it without encoded slashes.');
  const text = decodeOnce(path);
  if (/%[\da-f]{2}|\p{Cc}/iu.test(text)) refuse('It is encoded twice.');
  return text;
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return refuse('Its percent encoding is not valid.');
  }
}

function plainPath(path: string, { folders, platform }: PathContext): Written {
  if (/^(\/\/|\\\\)/.test(path)) refuse('Network paths cannot be opened.');
  if (/^~([\\/]|$)/.test(path)) refuse('`~` is not expanded. Give the absolute path.');
  if (/%(2e|2f|5c|00)/i.test(path)) refuse('Write it without percent signs.');
  const hasDrive = platform === 'windows' && /^[a-z]:/i.test(path);
  if (!hasDrive && /^[a-z]:[\\/]/i.test(path)) refuse('This machine has no drives.');
  if (!path.startsWith('/') && !hasDrive) return relativePath(path, folders);
  const [first] = folders;
  const isVirtual = first !== undefined && first.location.scheme !== 'file';
  return isVirtual ? atRoot(first.location, path) : localPath(path, platform);
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

function relativePath(path: string, folders: readonly WorkspaceFolder[]): Written {
  const names = segmentsOf(path);
  const [only, ...others] = folders;
  if (only === undefined) {
    throw new ToolError('No folder is open: give the absolute path of the file.');
  }
  if (others.length === 0) return { base: only.location, names };
  const [name, ...remaining] = names[0] === '.' ? names.slice(1) : names;
  const folder = folders.find(
    (candidate) => candidate.name === name && canPrefixPaths(name, folders),
  );
  if (folder !== undefined) return { base: folder.location, names: remaining };
  const known = folders.map((candidate) => workspacePath(candidate, [], folders)).join(', ');
  throw new ToolError(`Start the path with a workspace folder: ${known}.`);
}

function resolveDots(segments: readonly string[], isWindows: boolean): readonly string[] {
  const names: string[] = [];
  for (const name of segments) {
    const isDrive = isWindows && names.length === 1;
    if (name === '..') names.splice(isDrive ? 1 : names.length - 1, 1);
    else if (name !== '.') names.push(name);
  }
  return names;
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
