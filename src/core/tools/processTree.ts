import type { RunningProcess } from '../conversation/conversation.ts';

/** An entry of the system's process list. */
export interface ProcessEntry extends RunningProcess {
  readonly parent: number;
  /** Session or terminal, which a process shares with other processes of its terminal. */
  readonly session: string;
}

/**
 * The ids of a process and everything that it started: its descendants, and processes of its
 * session whose parents have exited. Descendants precede their ancestors; the process itself is
 * last.
 */
export function processTreeOf(id: number, entries: readonly ProcessEntry[]): readonly number[] {
  const root = entries.find((entry) => entry.id === id);
  if (root === undefined) return [];
  const tree = new Set([id]);
  const above = entries.find((entry) => entry.id === root.parent);
  // Then the session contains no other processes.
  const startedIt = id > 1 && root.session !== '' && above?.session !== root.session;
  const session = startedIt ? root.session : undefined;
  for (const entry of entries) if (entry.session === session) tree.add(entry.id);
  return descendantsOf(tree, entries);
}

/** The processes with their descendants; the first one is last. */
function descendantsOf(tree: Set<number>, entries: readonly ProcessEntry[]): readonly number[] {
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const { id, parent } of entries) if (tree.has(parent)) tree.add(id);
  }
  return [...tree].reverse();
}

export function isSameProcess(a: RunningProcess, b: RunningProcess): boolean {
  return a.id === b.id && a.started === b.started;
}

/** The processes that still run, and what they started, descendants first. */
export function stillRunning(
  processes: readonly RunningProcess[],
  entries: readonly ProcessEntry[],
): readonly number[] {
  const roots = entries.filter((entry) => processes.some((known) => isSameProcess(known, entry)));
  const trees = roots.flatMap(({ id }) => descendantsOf(new Set([id]), entries));
  return [...new Set(trees)];
}

/** Processes that a sentence for the model names. */
const maxNamed = 8;

/** The sentence that tells the model what a command left running. */
export function leftRunningText(processes: readonly RunningProcess[]): string {
  const names = processes.slice(0, maxNamed).map(({ id, name }) => `${name} (process ${id})`);
  const more = processes.length > maxNamed ? ` and ${processes.length - maxNamed} more` : '';
  return `It left running: ${names.join(', ')}${more}.`;
}
