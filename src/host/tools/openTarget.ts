import * as vscode from 'vscode';
import type { Approved } from '../../core/tools/approved.ts';
import { sleep } from '../../core/support/abort.ts';
import { systemClock } from '../../core/support/clock.ts';
import { pathBelow } from '../../core/tools/searchScope.ts';
import type { Location, Target } from '../../core/tools/target.ts';
import { ToolError } from '../../core/tools/tool.ts';
import { openDocument, readFile } from './files.ts';
import { toUri } from './location.ts';

/** A document, and whether VS Code did not have it before. */
export interface OpenTarget {
  readonly document: vscode.TextDocument;
  readonly isNew: boolean;
}

/**
 * Opens a file that passed the gate, without showing it, so that language services know it. The
 * document is the one that the person has open, where there is one.
 *
 * @throws {ToolError} where it is no text.
 */
export async function openTarget(approved: Approved<Target>): Promise<OpenTarget> {
  const target = approved.value;
  const open = openDocument(target);
  if (open !== undefined) return { document: open, isNew: false };
  const { kind } = await readFile(approved);
  if (kind === 'missing') throw new ToolError(`There is no ${target.label}.`);
  if (kind !== 'text') throw new ToolError(`${target.label} is ${reasons[kind]}.`);
  const document = await vscode.workspace.openTextDocument(toUri(addressOf(target)));
  return { document, isNew: true };
}

/**
 * Language services know a file by the name of its workspace folder, which may be behind a link as a
 * whole. Where a link leads on from there, only the real place counts: that is what was approved.
 */
export function addressOf({ location, named }: Target): Location {
  const folder = vscode.workspace.getWorkspaceFolder(toUri(named));
  const below = folder === undefined ? undefined : pathBelow(folder.uri.path, named.path);
  return below !== undefined && location.path.endsWith(`/${below}`) ? named : location;
}

const reasons = { binary: 'binary', huge: 'too big', folder: 'a folder' } as const;

/** Milliseconds to wait before each time that a language service is asked again. */
const waits = [100, 200, 400, 800, 1600];

/**
 * Asks a language service, and asks again where it says nothing of a file that was just opened: it
 * may still be starting, and nothing tells when it is ready.
 */
export async function askService<T>(
  { isNew }: Pick<OpenTarget, 'isNew'>,
  signal: AbortSignal,
  ask: () => Thenable<readonly T[] | undefined>,
): Promise<readonly T[]> {
  let found = (await ask()) ?? [];
  for (const wait of isNew ? waits : []) {
    if (found.length > 0) break;
    await sleep(systemClock, wait, signal);
    found = (await ask()) ?? [];
  }
  return found;
}
