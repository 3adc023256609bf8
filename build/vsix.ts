import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const vsce = join(import.meta.dirname, '..', 'node_modules', '@vscode', 'vsce', 'vsce');

/** 2026-01-01 in seconds: the time of all files in the package, as those of a build are never the same. */
const fileTime = '1767225600';

/**
 * Packages an extension, and returns the exit code. The same files give the same bytes: vsce sorts
 * them and gives all of them one time where it is told one, which it writes in the local time zone.
 * Two warnings are switched off, since both ask for a repository on GitHub or GitLab in the manifest,
 * and there is none: that it is missing, and that relative links of the README cannot be completed.
 */
export function packageExtension(folder: string, ...parameters: readonly string[]): number {
  const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const { SOURCE_DATE_EPOCH = fileTime, ...variables } = process.env;
  // What the build writes gets the same permissions on every machine.
  process.umask(0o022);
  const { status } = spawnSync(process.execPath, [vsce, 'package', ...flags, ...parameters], {
    cwd: folder,
    env: { ...variables, SOURCE_DATE_EPOCH, TZ: 'UTC', LC_ALL: 'C' },
    stdio: 'inherit',
  });
  return status ?? 1;
}
