import { execFile } from 'node:child_process';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { gitExtension, type RepositoryReader } from '../platform/git.ts';
import { firstRunnable } from './diskFiles.ts';

/** Milliseconds for Git, which only reads local files. */
const timeout = 5000;
const maxOutputBytes = 16 * 1024 * 1024;

/** Git without the programs that the settings of a repository name for every command. */
const safeOptions = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'],
  ...['--no-pager', '--no-optional-locks'],
];

export interface GitProgram {
  readonly program: string;
  /** The root of the working tree, whatever the repository's settings say (threats: T16). */
  readonly folder: string;
}

/**
 * Runs Git once, and resolves with its output, even if it exits with 1, which means that it found
 * nothing. It starts no pager, hook, file system monitor or transport, regardless of the
 * repository's settings (threats: T16). The arguments must disable any other program that a command
 * starts.
 *
 * @throws if Git fails, for example because the repository belongs to another user
 */
export function runGit(
  { program, folder }: GitProgram,
  words: readonly string[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  // No other repository, configuration or program is named. A partial clone gets no objects from
  // elsewhere: versions of Git without `GIT_NO_LAZY_FETCH` are refused each protocol.
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
  const options = {
    cwd: folder,
    env,
    signal,
    timeout,
    maxBuffer: maxOutputBytes,
    windowsHide: true,
  };
  return new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      [...safeOptions, `--work-tree=${folder}`, ...words],
      options,
      (error, output) => {
        if (error === null || error.code === 1) resolve(output);
        else reject(new Error('Git failed.', { cause: error }));
      },
    );
    // A Git that can't start doesn't read its input. The exit event reports the error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end();
  });
}

/** The absolute path of VS Code's Git; undefined if there is none, or it is disabled. */
export async function findGit(): Promise<string | undefined> {
  try {
    const path = (await gitExtension()?.activate())?.getAPI(1).git.path;
    return path === undefined || isAbsolute(path) ? path : await findOnPath(path);
  } catch {
    return undefined;
  }
}

/**
 * Resolves a bare program name, which is all that VS Code reports about Git on Linux. Relative
 * folders are skipped, since they could be in the repository.
 */
export async function findOnPath(
  name: string,
  folders = process.env['PATH'] ?? '',
): Promise<string | undefined> {
  if (basename(name) !== name) return undefined;
  const absolute = folders.split(delimiter).filter(isAbsolute);
  return firstRunnable(absolute.map((folder) => join(folder, name)));
}

/** Reads the repository of a folder with the Git of VS Code. */
export async function readRepository(folder: string): Promise<RepositoryReader> {
  const program = await findGit();
  if (program === undefined) throw new Error('There is no Git.');
  return repositoryReader({ program, folder });
}

/**
 * Reads diffs without external diffs, `textconv`, filters and submodule settings, and commit
 * messages without signatures, which a program would verify.
 */
export async function repositoryReader(git: GitProgram): Promise<RepositoryReader> {
  const noFilters = await filtersOff(git);
  return {
    diff: ({ base, path, isStaged }, signal) =>
      runGit(
        git,
        [
          ...noFilters,
          ...['-c', 'diff.relative=false', 'diff'],
          ...(isStaged ? ['--cached'] : []),
          ...['--no-ext-diff', '--no-textconv', '--no-color'],
          ...['--submodule=short', '--ignore-submodules=dirty', base, '--'],
          // Files in a folder that replaced the file are others, and may be secrets.
          ...[`:(top,literal)${path}`, `:(top,exclude,literal)${path}/`],
        ],
        { signal },
      ),
    async subjects(count) {
      const format = ['--no-show-signature', '--no-color', '--encoding=UTF-8', '--format=%s'];
      const printed = await runGit(git, ['log', `--max-count=${count}`, '-z', ...format]);
      return printed.split('\0').filter((subject) => subject !== '');
    },
  };
}

/** Options that turn off each filter of the settings: Git would start them for changed files. */
async function filtersOff(git: GitProgram): Promise<readonly string[]> {
  const words = ['config', '--name-only', '-z', '--get-regexp', String.raw`^filter\..*\.`];
  const names = (await runGit(git, words)).split('\0').filter((name) => name !== '');
  const filters = new Set(names.map((name) => name.slice(0, name.lastIndexOf('.'))));
  return [...filters].flatMap((filter) => {
    // Git takes the text after the first `=` for the value, and would leave the filter on.
    if (filter.includes('=')) throw new Error('A filter of the repository has a misleading name.');
    return ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => [
      '-c',
      `${filter}.${setting}`,
    ]);
  });
}
