/**
 * Packages the extension: the same files give the same bytes. Parameters are passed to vsce, for
 * example `--out FILE`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const vsce = join(import.meta.dirname, '../node_modules/@vscode/vsce/vsce');
// Two warnings are turned off: about a missing repository, and about relative links in the README
// that would be completed with its address.
const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];

// Gives built files the same permissions on every machine.
process.umask(0o022);
const { status } = spawnSync(
  process.execPath,
  [vsce, 'package', ...flags, ...process.argv.slice(2)],
  {
    // With a time in seconds (2026-01-01), vsce sorts the files and gives all of them this time, in
    // the local time zone.
    env: { SOURCE_DATE_EPOCH: '1767225600', ...process.env, TZ: 'UTC', LC_ALL: 'C' },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
