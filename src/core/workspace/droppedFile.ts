import type { Location } from './places.ts';

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
  if (scheme !== remoteScheme || !isRemote(authority, into.remote)) return undefined;
  return { scheme: 'file', authority: '', path };
}

function isRemote(authority: string, remote = ''): boolean {
  const [name = ''] = authority.split('+');
  return name !== '' && isSameAuthority(name, remote);
}

/** Host names ignore case. */
function isSameAuthority(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}
