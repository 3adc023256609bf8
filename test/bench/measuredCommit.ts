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

/** Output of Git. Undefined if it fails or isn't installed. */
function git(folder: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', [...words], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
