/**
 * Source of a `vscode` module whose file system is the disk, for host modules that use it without
 * Node: see `withFakeVsCode`.
 */
export const diskVsCode = `
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
export class FileSystemError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}
const there = async (work) => {
  try {
    return await work;
  } catch (error) {
    throw error.code === 'ENOENT' ? new FileSystemError(error.message, 'FileNotFound') : error;
  }
};
const isThere = (path) => stat(path).then(() => true, () => false);
export const FileType = { File: 1, Directory: 2 };
export class Uri {
  scheme = 'file';
  constructor(path) {
    this.path = this.fsPath = path;
  }
  static file(path) {
    return new Uri(path);
  }
  static joinPath(uri, ...names) {
    return Uri.file(posix.join(uri.path, ...names));
  }
  toString() {
    return this.path;
  }
}
export const env = { language: 'en' };
export const l10n = {
  t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (all, index) => values[index] ?? all),
};
export const workspace = {
  fs: {
    async readDirectory(uri) {
      const entries = await there(readdir(uri.path, { withFileTypes: true }));
      return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
    },
    readFile: (uri) => there(readFile(uri.path)),
    async writeFile(uri, bytes) {
      await mkdir(dirname(uri.path), { recursive: true });
      await writeFile(uri.path, bytes);
    },
    async stat(uri) {
      const { size, mtimeMs } = await there(stat(uri.path));
      return { size, mtime: mtimeMs };
    },
    async createDirectory(uri) {
      await mkdir(uri.path, { recursive: true });
    },
    async rename(from, to, options) {
      if (options?.overwrite !== true && (await isThere(to.path)))
        throw new FileSystemError(to.path, 'FileExists');
      await mkdir(dirname(to.path), { recursive: true });
      await there(rename(from.path, to.path));
    },
    async delete(uri, options) {
      const isFolder = (await there(stat(uri.path))).isDirectory();
      if (isFolder && options?.recursive !== true) await rmdir(uri.path);
      else await there(rm(uri.path, options));
    },
  },
};
`;
