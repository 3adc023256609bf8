/** So many are attached at once; who wants more means a folder. */
export const mostAddresses = 100;

const longestAddress = 5000;

/** Files that are dragged: what VS Code says of them comes before what any program says. */
export function draggedAddresses(data: DataTransfer): string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return linesOf(list).filter((line) => !/^(?:#|https?:)/i.test(line) && isShort(line));
}

/** The files that a text names, where it is nothing else than their addresses; else none. */
export function pastedAddresses(text: string): string[] {
  const lines = linesOf(text);
  return lines.length <= mostAddresses && lines.every(isAddress) ? lines : [];
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
  return line.length <= longestAddress;
}

const uri = /^(?:file|vscode-remote):\/\/\S+$/;
/** Of two names at least: `/explain` is a command. */
const path = /^(?:\/[^/\s](?:[^/]*[^/\s])?){2,}\/?$/;
const windowsPath = /^[a-z]:[\\/][^<>"|?*]+$/i;
