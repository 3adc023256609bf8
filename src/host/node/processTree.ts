import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { orUndefined } from '../../core/support/background.ts';
import { truncateText } from '../../core/support/text.ts';
import { processTreeOf, stillRunning, type ProcessEntry } from '../../core/tools/processTree.ts';
import type { TerminalProcesses } from '../platform/platform.ts';

const run = promisify(execFile);
/** The time limit of `ps` and `taskkill`, in milliseconds. */
const timeout = 3000;
/** Bytes of a process list, whose command lines may be long. */
const maxBuffer = 32 * 1024 * 1024;
/** Characters of a command line that are shown. */
const maxNameLength = 60;

/**
 * Finds a process and its descendants. Resolves with a function that kills them, which must be
 * called soon, since the system reuses process ids. The id must be from this machine.
 */
export async function findProcessTree(id: number): Promise<() => Promise<void>> {
  if (process.platform === 'win32') {
    const program = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
    const words = ['/T', '/F', '/PID', String(id)];
    // This fails if the process has already ended.
    return async () => void (await orUndefined(run(program, words, { timeout })));
  }
  const tree = processTreeOf(id, await listProcesses());
  return () => {
    for (const processId of tree) endProcess(processId);
    return Promise.resolve();
  };
}

/** See `TerminalProcesses`. */
export async function startedBy(id: number, mark: string): Promise<readonly RunningProcess[]> {
  if (process.platform === 'win32') return [];
  const entries = await listProcesses();
  const tree = processTreeOf(id, entries);
  const isMarked = await Promise.all(
    entries.map(async (entry) => {
      if (process.platform !== 'linux') return false;
      // The environment of some processes can't be read.
      const environment = await orUndefined(readFile(`/proc/${entry.id}/environ`, 'utf8'));
      return environment?.split('\0').includes(mark) === true;
    }),
  );
  return entries.filter(
    (entry, index) => entry.id !== id && (tree.includes(entry.id) || isMarked[index] === true),
  );
}

/** See `TerminalProcesses`. */
export async function endProcesses(processes: readonly RunningProcess[]): Promise<void> {
  if (process.platform === 'win32') return;
  for (const id of stillRunning(processes, await listProcesses())) endProcess(id);
}

function listProcesses(): Promise<readonly ProcessEntry[]> {
  return process.platform === 'linux' ? listOnLinux() : listWithPs();
}

function endProcess(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // The process has already ended, or belongs to another user.
  }
}

async function listOnLinux(): Promise<readonly ProcessEntry[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = ids.map(async (id) => {
    // A process may have ended. Its name, in parentheses, can contain any character.
    const stat = (await orUndefined(readFile(`/proc/${id}/stat`, 'utf8'))) ?? '';
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, , session = ''] = fields;
    // One that has ended stays in the list until its parent asks for its result.
    if (state === '' || state === 'Z') return [];
    const line = (await orUndefined(readFile(`/proc/${id}/cmdline`, 'utf8'))) ?? '';
    const started = fields[19] ?? '';
    return [
      { id: Number(id), parent: Number(parent), session, started, name: nameOf(line || name) },
    ];
  });
  return (await Promise.all(entries)).flat();
}

async function listWithPs(): Promise<readonly ProcessEntry[]> {
  const columns = 'pid=,ppid=,tty=,stat=,lstart=,args=';
  const { stdout } = await run('/bin/ps', ['-A', '-ww', '-o', columns], { timeout, maxBuffer });
  return stdout.split('\n').flatMap((line) => {
    const [id, parent, terminal = '', state = '', ...words] = line.trim().split(/\s+/);
    if (id === undefined || id === '' || state.startsWith('Z')) return [];
    return {
      id: Number(id),
      parent: Number(parent),
      session: terminal.startsWith('?') ? '' : terminal,
      // Day, month, date, time and year.
      started: words.slice(0, 5).join(' '),
      name: nameOf(words.slice(5).join(' ')),
    };
  });
}

function nameOf(line: string): string {
  const words = line.replace(/(?:\p{Cc}|\s)+/gu, ' ').trim();
  return words.length > maxNameLength ? `${truncateText(words, maxNameLength)}…` : words;
}

/**
 * The processes of terminals; undefined if the terminals run on another machine than the extension:
 * their process ids would be those of other processes here.
 */
export function terminalProcesses({
  extension,
}: vscode.ExtensionContext): TerminalProcesses | undefined {
  const isBesideThem =
    vscode.env.remoteName === undefined ||
    extension.extensionKind === vscode.ExtensionKind.Workspace;
  return isBesideThem ? processesHere : undefined;
}

export const processesHere: TerminalProcesses = {
  findTree: findProcessTree,
  startedBy,
  end: endProcesses,
};
