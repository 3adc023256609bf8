import { type BigIntStats, readFileSync, realpathSync } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { win32 } from 'node:path';
import * as vscode from 'vscode';
import type { FileStatus, FileSystemView } from '../../core/files/disk.ts';
import { type Location, relativeSegments } from '../../core/files/places.ts';
import { type Machine, toLocation } from '../platform/location.ts';
import { orMissing, readOnly, systemCodeOf } from './diskFiles.ts';
import { findGit, type GitProgram, runGit } from './gitReader.ts';
import type { HostProcess } from '../platform/platform.ts';

/** The machine on which the extension runs: in a remote window, the remote machine. */
export function thisMachine(): Machine {
  const realHome = orElse(() => realpathSync.native(homedir()), homedir());
  const homes = [...new Set([homedir(), realHome])];
  return {
    view: diskView,
    platform: platform(),
    homes: homes.map((home) => toLocation(vscode.Uri.file(home))),
    host: hostname(),
    // Some users have no entry in the system database, and so no name.
    user: orElse(() => userInfo().username, '?'),
  };
}

/** The value, or another one if reading it throws. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function platform(): Machine['platform'] {
  if (process.platform === 'win32') return 'windows';
  return process.platform === 'darwin' ? 'mac' : 'linux';
}

/** As VS Code decides, also if this process could write the file. */
export async function isLocked(path: string): Promise<boolean> {
  const status = await orMissing(stat(path));
  return status !== undefined && (status.mode & 0o200) === 0;
}

/** The disk of the machine on which the extension runs. */
export const diskView: FileSystemView = {
  async realPath(location) {
    const path = nativePath(location);
    const real = await orMissing(realpath(path));
    if (real !== undefined) return locationOf(real, location.authority);
    // A broken link exists too, and writing to it creates its target.
    if ((await orMissing(lstat(path))) !== undefined)
      throw new Error('The path contains a broken link.');
    return undefined;
  },

  async status(location) {
    const stats = await orMissing(stat(nativePath(location), { bigint: true }));
    if (stats === undefined) return undefined;
    const { nlink, mode } = stats;
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'special';
    const status: FileStatus = {
      kind,
      identity: identityOf(stats),
      hardLinks: kind === 'file' ? Number(nlink) : 1,
      executable: kind === 'file' && (mode & 0o111n) !== 0n,
    };
    return status;
  },

  async links(folder) {
    const entries = await readdir(nativePath(folder), { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  },

  async read(location, identity, bytes) {
    const file = await orMissing(open(nativePath(location), readOnly)).catch((error: unknown) => {
      // There is a link now, which FreeBSD calls EMLINK.
      if (systemCodeOf(error) === 'ELOOP' || systemCodeOf(error) === 'EMLINK') return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    try {
      const stats = await file.stat({ bigint: true });
      if (!stats.isFile() || identityOf(stats) !== identity) return undefined;
      const buffer = new Uint8Array(Math.min(Number(stats.size), bytes));
      // One read may return less than there is.
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  },

  async trackedByGit(repository, files) {
    const program = await findGit();
    if (program === undefined) return undefined;
    const paths = new Map(
      files.map((file) => [relativeSegments(repository, file)?.join('/') ?? '', file.path]),
    );
    const tracked = await trackedBy({ program, folder: nativePath(repository) }, [...paths.keys()]);
    return new Set(tracked.flatMap((path) => paths.get(path) ?? []));
  },
};

function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return [dev, ino, birthtimeNs].join('-');
}

const isWindows = process.platform === 'win32';

function nativePath({ scheme, authority, path }: Location): string {
  if (scheme !== 'file') throw new Error('Only files on this machine have a path on disk.');
  if (!isWindows) return path;
  if (authority !== '') return win32.normalize(`//${authority}${path}`);
  // `C:` without a slash would be the current folder of that drive.
  const drive = /^\/([a-z]:)(.*)$/i.exec(path);
  if (drive === null) throw new Error('The path has no drive.');
  return win32.normalize(`${drive[1]}${drive[2] === '' ? '/' : drive[2]}`);
}

function locationOf(real: string, authority: string): Location {
  if (!isWindows) return { scheme: 'file', authority: '', path: real };
  const path = real.replaceAll('\\', '/');
  const share = /^\/\/([^/]+)(\/.*)$/.exec(path);
  if (share !== null)
    return { scheme: 'file', authority: share[1] ?? authority, path: share[2] ?? '/' };
  const drive = `/${path.slice(0, 1).toLowerCase()}`;
  return { scheme: 'file', authority: '', path: drive + path.slice(1) };
}

/**
 * The files in the index of a repository, with one process. It looks at no other file, so no filter
 * runs. Names in another case aren't the same, and files of submodules are not in this index.
 *
 * @param paths relative to the folder of the repository, with slashes
 * @throws if Git can't tell
 */
export async function trackedBy(
  git: GitProgram,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const words = ['--literal-pathspecs', 'ls-files', '--cached', '-v', '-z', '--', ...paths];
  const printed = await runGit(git, words);
  // In the index, or in it with conflicts. Git doesn't look for changes of other entries, which were
  // set to be assumed unchanged or skipped.
  const entries = printed.split('\0').filter((entry) => /^[HM] /.test(entry));
  return [...new Set(entries.map((entry) => entry.slice(2)))].filter((path) =>
    paths.includes(path),
  );
}

/** This process, for windows on the same machine. */
export function hostProcess(): HostProcess {
  // Identifies the start of the machine: after another one, the numbers mean other processes.
  const boot = orElse(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), '');
  return { machine: `${hostname()} ${boot}`, id: process.pid, isRunning };
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}
