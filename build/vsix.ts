import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const vsce = join(import.meta.dirname, '..', 'node_modules', '@vscode', 'vsce', 'vsce');

/** 2026-01-01 in seconds. All files in the package get this time, because the times of built files vary. */
const fileTime = '1767225600';

/**
 * Packages an extension and returns the exit code. The same files give the same bytes: vsce sorts
 * the files, and gives all of them one time, in the local time zone, if that is set. Two warnings
 * are turned off, both of which ask for a repository in the manifest: about a missing one, and
 * about relative links in the README that it would complete.
 */
export function packageExtension(folder: string, ...parameters: readonly string[]): number {
  const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const { SOURCE_DATE_EPOCH = fileTime, ...variables } = process.env;
  // Gives built files the same permissions on every machine.
  process.umask(0o022);
  const { status } = spawnSync(process.execPath, [vsce, 'package', ...flags, ...parameters], {
    cwd: folder,
    env: { ...variables, SOURCE_DATE_EPOCH, TZ: 'UTC', LC_ALL: 'C' },
    stdio: 'inherit',
  });
  return status ?? 1;
}
