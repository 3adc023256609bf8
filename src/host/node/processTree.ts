import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { orUndefined } from '../../core/support/background.ts';
import { processTreeOf, type ProcessEntry } from '../../core/terminal/processTree.ts';

const run = promisify(execFile);
/** The time limit of `ps` and `taskkill`, in milliseconds. */
const timeout = 3000;

/**
 * Finds a process and its descendants. Resolves with a function that kills them, which must be
 * called soon, since the system reuses process ids. The id must be from this machine.
 */
export async function findProcessTree(id: number): Promise<() => Promise<void>> {
  if (process.platform === 'win32') return () => endOnWindows(id);
  const tree = processTreeOf(
    id,
    await (process.platform === 'linux' ? listOnLinux() : listWithPs()),
  );
  return () => {
    for (const processId of tree) endProcess(processId);
    return Promise.resolve();
  };
}

function endProcess(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // The process has already ended, or belongs to another user.
  }
}

async function endOnWindows(id: number): Promise<void> {
  const program = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
  // This fails if the process has already ended.
  await orUndefined(run(program, ['/T', '/F', '/PID', String(id)], { timeout }));
}

async function listOnLinux(): Promise<readonly ProcessEntry[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = ids.map(async (id) => {
    // A process may have ended. Its name, in parentheses, can contain any character.
    const stat = (await orUndefined(readFile(`/proc/${id}/stat`, 'utf8'))) ?? '';
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { id: Number(id), parent: Number(parent), session: session ?? '' };
  });
  return Promise.all(entries);
}

async function listWithPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await run('/bin/ps', ['-A', '-o', 'pid=,ppid=,tty='], { timeout });
  return stdout.split('\n').flatMap((line) => {
    const [id, parent, terminal = ''] = line.trim().split(/\s+/);
    if (id === undefined || id === '') return [];
    return {
      id: Number(id),
      parent: Number(parent),
      session: terminal.startsWith('?') ? '' : terminal,
    };
  });
}

/**
 * The function that finds the processes of a terminal; undefined if the terminals run on another
 * machine than the extension: their process ids would be those of other processes here.
 */
export function terminalProcesses({
  extension,
}: vscode.ExtensionContext): typeof findProcessTree | undefined {
  const isBesideThem =
    vscode.env.remoteName === undefined ||
    extension.extensionKind === vscode.ExtensionKind.Workspace;
  return isBesideThem ? findProcessTree : undefined;
}
