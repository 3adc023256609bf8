import { runGit, type GitProgram } from './gitProcess.ts';

/**
 * The files that Git ignores, by all its rules and settings, with one process. The index isn't read, so
 * tracked files that match a rule count as ignored too.
 *
 * @param files absolute paths
 * @throws if Git can't tell
 */
export async function ignoredBy(
  git: GitProgram,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const words = ['check-ignore', '--no-index', '--stdin', '-z'];
  const printed = await runGit(git, words, { input: files.join('\0') });
  return new Set(printed.split('\0').filter((path) => path !== ''));
}
