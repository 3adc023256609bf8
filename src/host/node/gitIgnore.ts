import { execFile } from 'node:child_process';

/** Milliseconds for Git, which reads some short files. */
const timeout = 5000;
/** Bytes of what it prints: the paths that it got. */
const maxBuffer = 16 * 1024 * 1024;

/**
 * Without what a repository could make Git start. The index isn't read, so what is tracked and fits a
 * rule counts as ignored too.
 */
const words = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'],
  ...['--no-pager', '--no-optional-locks'],
  ...['check-ignore', '--no-index', '--stdin', '-z'],
];

/**
 * Which of some files Git ignores, by all its rules and settings, with one process.
 *
 * @param program the absolute path of Git
 * @param folder in which the repository is
 * @param files absolute paths
 * @throws if Git can't tell, for example since the repository belongs to somebody else
 */
export async function ignoredBy(
  program: string,
  folder: string,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const options = { cwd: folder, env: environment(), timeout, maxBuffer, windowsHide: true };
  const printed = await new Promise<string>((resolve, reject) => {
    const child = execFile(program, words, options, (error, output) => {
      // It ends with 1 where it ignores none.
      if (error === null || error.code === 1) resolve(output);
      else reject(new Error('Git did not tell what it ignores.', { cause: error }));
    });
    // A Git that can't start reads nothing; what it ends with tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(files.join('\0'));
  });
  return new Set(printed.split('\0').filter((path) => path !== ''));
}

/** Nothing that names another repository or configuration, or a program. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: '0' };
}
