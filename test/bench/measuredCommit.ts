import { spawnSync } from 'node:child_process';
import { projectFolder } from '../support/paths.ts';

/** The commit that is measured. Throws if there are uncommitted changes. */
export function commitToMeasure(folder = projectFolder): string {
  const commit = git(folder, 'rev-parse', '--short=12', 'HEAD');
  if (commit === undefined)
    throw new Error('The documents name a commit, and there is no history.');
  if (git(folder, 'status', '--porcelain', '--untracked-files=no') !== '')
    throw new Error('The documents name a commit: commit what has changed, then measure.');
  return commit;
}

/** Explains why a page of figures must be measured again. Undefined if it is current. */
export function outdated(page: string, folder = projectFolder, maxAge = 200): string | undefined {
  const commit = /^Measured at commit ([0-9a-f]{7,64}) /m.exec(page)?.[1];
  if (commit === undefined) return 'The page names no commit that was measured.';
  const behind = hasHistory(folder) ? commitsSince(commit, folder) : 0;
  return behind > maxAge ? `Measured at ${commit}, ${behind} commits ago.` : undefined;
}

/**
 * An unpacked archive has no history, even inside another repository; a shallow clone has only a
 * part of it.
 */
function hasHistory(folder: string): boolean {
  const answer = git(folder, 'rev-parse', '--is-shallow-repository', '--show-prefix');
  return answer === 'false';
}

/** Counts all commits if the commit isn't in the history, for example after a rebase. */
function commitsSince(commit: string, folder: string): number {
  const count = (range: string): string | undefined => git(folder, 'rev-list', '--count', range);
  return Number(count(`${commit}..HEAD`) ?? count('HEAD') ?? 0);
}

/** Output of Git. Undefined if it fails or isn't installed. */
function git(folder: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', [...words], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
