/** Source of a `vscode` module with one workspace folder on the disk. */
export function vscodeOnDisk(folder: string, isTrusted = true): string {
  return `
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
export class FileSystemError extends Error {
  code = 'FileNotFound';
}
const there = (work) => work.catch((error) => { throw error.code === 'ENOENT' ? new FileSystemError() : error; });
export const FileType = { File: 1, Directory: 2, SymbolicLink: 64 };
const typeOf = async (path) => {
  const [link, target] = await Promise.all([there(lstat(path)), there(stat(path))]);
  return (target.isDirectory() ? 2 : 1) | (link.isSymbolicLink() ? 64 : 0);
};
export class Uri {
  scheme = 'file';
  authority = '';
  constructor(path) {
    this.path = this.fsPath = path;
  }
  static from({ path }) {
    return new Uri(path);
  }
  static joinPath(uri, ...names) {
    return new Uri(posix.join(uri.path, ...names));
  }
  toString() {
    return this.path;
  }
}
const root = new Uri(${JSON.stringify(folder)});
const isIn = (uri) => uri.path.startsWith(root.path + '/');
const folder = { name: basename(root.path), uri: root, index: 0 };
export const env = { language: 'en' };
export const l10n = { t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (all, index) => values[index] ?? all) };
const on = () => ({ dispose() {} });
export const languages = {}, commands = {}, extensions = {}, lm = {}, window = {};
export const workspace = {
  isTrusted: ${isTrusted},
  workspaceFolders: [folder],
  notebookDocuments: [],
  onDidGrantWorkspaceTrust: on,
  onDidChangeWorkspaceFolders: on,
  createFileSystemWatcher: () => ({ ...on(), onDidChange: on, onDidCreate: on, onDidDelete: on }),
  getWorkspaceFolder: (uri) => (isIn(uri) ? folder : undefined),
  asRelativePath: (uri) => (isIn(uri) ? uri.path.slice(root.path.length + 1) : uri.path),
  fs: {
    readDirectory: async (uri) =>
      Promise.all((await readdir(uri.path)).map(async (name) => [name, await typeOf(posix.join(uri.path, name))])),
    readFile: (uri) => there(readFile(uri.path)),
    stat: async (uri) => ({ size: (await there(stat(uri.path))).size, type: await typeOf(uri.path) }),
  },
};
`;
}
