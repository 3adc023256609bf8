/**
 * Packages the extension: the same files give the same bytes. Parameters are passed to vsce, for
 * example `--out FILE`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const vsce = join(import.meta.dirname, '../node_modules/@vscode/vsce/vsce');
// Relative links in the README stay: only some hosts of repositories have addresses for them.
const flags = ['--no-dependencies', '--no-rewrite-relative-links'];

const manifest = readFileSync('package.json', 'utf8');
const examples = manifest.match(/"https:\/\/example\.com\/[^"]*"/g);
if (examples !== null)
  console.warn(
    `package.json has example addresses: ${examples.join(', ')}. Replace them before you publish.`,
  );

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
