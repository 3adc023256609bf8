import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { processTreeOf, type ProcessEntry } from '../../core/terminal/processTree.ts';

const run = promisify(execFile);
/** Milliseconds that a program of the system may take. */
const timeout = 3000;

/**
 * Finds a process and all that it started. Resolves with what ends them at once, whatever signals
 * they ignore; call it soon, since the system gives numbers to others again. The id must be one of
 * the machine on which this code runs.
 */
export async function findProcessTree(id: number): Promise<() => Promise<void>> {
  if (process.platform === 'win32') return () => endOnWindows(id);
  const tree = processTreeOf(id, await listProcesses());
  return () => {
    for (const one of tree) endProcess(one);
    return Promise.resolve();
  };
}

function endProcess(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It is gone already, or not the person's own.
  }
}

async function endOnWindows(id: number): Promise<void> {
  const program = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
  // It fails where the process is gone already.
  await run(program, ['/T', '/F', '/PID', String(id)], { timeout }).catch(() => undefined);
}

function listProcesses(): Promise<readonly ProcessEntry[]> {
  return process.platform === 'linux' ? listOnLinux() : listWithPs();
}

async function listOnLinux(): Promise<readonly ProcessEntry[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = ids.map(async (id) => {
    // A process may end meanwhile. Its name, in parentheses, may have anything in it.
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
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
 * How to find what a terminal started: undefined where the extension runs on another machine than
 * the terminals, whose processes have the same numbers as strangers here.
 */
export function terminalProcesses({
  extension,
}: Pick<vscode.ExtensionContext, 'extension'>): typeof findProcessTree | undefined {
  const isBesideThem =
    vscode.env.remoteName === undefined ||
    extension.extensionKind === vscode.ExtensionKind.Workspace;
  return isBesideThem ? findProcessTree : undefined;
}
