import { execFile } from 'node:child_process';

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
  const options = {
    cwd: folder,
    env: environment(),
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

/**
 * An environment that names no other repository, configuration or program. A partial clone gets
 * no objects from elsewhere: versions of Git without `GIT_NO_LAZY_FETCH` are refused each protocol.
 */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}
