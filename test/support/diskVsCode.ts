/**
 * A `vscode` whose file system is the disk, for parts of the host that use it where there is no Node:
 * see `withFakeVsCode`.
 */
export const diskVsCode = `
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
export class FileSystemError extends Error {
  code = 'FileNotFound';
}
const there = async (work) => {
  try {
    return await work;
  } catch (error) {
    throw error.code === 'ENOENT' ? new FileSystemError(error.message) : error;
  }
};
export const FileType = { File: 1, Directory: 2 };
export const Uri = {
  file: (path) => ({ path, fsPath: path, scheme: 'file', toString: () => path }),
  joinPath: (uri, ...names) => Uri.file([uri.path, ...names].join('/')),
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
    rename: (from, to) => there(rename(from.path, to.path)),
    delete: (uri, options) => there(rm(uri.path, options)),
  },
};
`;
