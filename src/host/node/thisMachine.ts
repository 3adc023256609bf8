import { realpathSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { Machine } from '../tools/machine.ts';
import { toLocation } from '../tools/location.ts';
import { diskView } from './diskView.ts';

/** The machine on which the extension runs: the remote one, where the window is connected to one. */
export function thisMachine(): Machine {
  const homes = [...new Set([homedir(), realHome()])];
  return {
    view: diskView,
    platform: platform(),
    homes: homes.map((home) => toLocation(vscode.Uri.file(home))),
    host: hostname(),
    user: userName(),
  };
}

function realHome(): string {
  try {
    return realpathSync.native(homedir());
  } catch {
    return homedir();
  }
}

/** A user without an entry in the system's list has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '?';
  }
}

function platform(): Machine['platform'] {
  if (process.platform === 'win32') return 'windows';
  return process.platform === 'darwin' ? 'mac' : 'linux';
}
