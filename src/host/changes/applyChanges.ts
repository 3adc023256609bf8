import type { Approved } from '../../core/tools/approved.ts';
import type { ApprovedChange } from '../../core/tools/gate.ts';
import { ToolError } from '../../core/tools/tool.ts';
import type { TextChange, TextStore, WrittenText } from './textStore.ts';

/** A change that was made, and what became of it. */
export interface AppliedChange extends TextChange, WrittenText {
  readonly kind: 'edit' | 'create';
}

/**
 * Makes changes that passed the gate: all of them, or none.
 * @throws {ToolError} where a file changed since it was read, or cannot be written.
 */
export async function applyChanges(
  approved: Approved<readonly ApprovedChange[]>,
  texts: TextStore,
  signal: AbortSignal,
): Promise<readonly AppliedChange[]> {
  const changes = approved.value.map(({ kind, target, before, after }) => ({
    ...{ kind, before, after },
    location: target.location,
    named: target.named,
    path: target.label,
  }));
  const current = await Promise.all(approved.value.map((change) => change.isCurrent()));
  const stale = changes[current.indexOf(false)];
  if (stale !== undefined) throw staleFile(stale.path);
  const written = await texts.write(changes, signal);
  return changes.flatMap((change, index) => {
    const result = written[index];
    return result === undefined ? [] : [{ ...change, ...result }];
  });
}

/** What the model is told where a file is not what it read. */
export function staleFile(path: string): ToolError {
  return new ToolError(
    `${path} was changed by somebody else since it was read. Nothing was written. Read it again.`,
  );
}
