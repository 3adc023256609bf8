/** An entry of the system's process list. */
export interface ProcessEntry {
  readonly id: number;
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
  const belongs = (entry: ProcessEntry): boolean =>
    tree.has(entry.parent) || entry.session === session;
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const entry of entries) if (belongs(entry)) tree.add(entry.id);
  }
  return [...tree].reverse();
}
