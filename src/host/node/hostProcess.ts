import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { HostProcess } from '../leases.ts';
import { systemCodeOf } from './diskFiles.ts';

/** This process, for windows on the same machine. */
export function hostProcess(): HostProcess {
  return { machine: `${hostname()} ${bootId()}`, id: process.pid, isRunning };
}

/** Identifies the start of the machine: after another one, the numbers mean other processes. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}
