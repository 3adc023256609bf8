/** A process, as the system lists it. */
export interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  /** What a process shares with those that its terminal started: its session or its terminal. */
  readonly session: string;
}

/**
 * A process and all that it started: its descendants, and those of its session whose parent is gone.
 * Leaves first, itself last.
 */
export function processTreeOf(id: number, entries: readonly ProcessEntry[]): readonly number[] {
  const root = entries.find((entry) => entry.id === id);
  if (root === undefined) return [];
  const found = new Set([id]);
  const session = isLeader(root, entries) ? root.session : undefined;
  const belongs = (entry: ProcessEntry): boolean =>
    found.has(entry.parent) || entry.session === session;
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const entry of entries) if (belongs(entry)) found.add(entry.id);
  }
  return [...found].reverse();
}

/** Whether the session began with the process, so that it has nothing of others in it. */
function isLeader(
  { id, parent, session }: ProcessEntry,
  entries: readonly ProcessEntry[],
): boolean {
  const above = entries.find((entry) => entry.id === parent);
  return id > 1 && session !== '' && above?.session !== session;
}
