import type { Turn } from '../conversation/conversation.ts';
import { isEnded } from '../conversation/reduceCalls.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';
import type { Toolbox } from '../tools/toolbox.ts';

interface Made {
  /** See `Toolbox.keyOf`. */
  readonly call: string;
  readonly name: string;
  readonly status: string;
}

/**
 * The tool that the model calls in vain, if one of these calls does: the same with the same arguments
 * for the third time, or a change that failed before. After another change the same question is a
 * new one.
 */
export function findRepeated(
  calls: readonly ToolCall[],
  { parts }: Turn,
  toolbox: Pick<Toolbox, 'changes' | 'keyOf'>,
): string | undefined {
  const keyOf = ({ name, arguments: text }: Pick<ToolCall, 'name' | 'arguments'>): string =>
    toolbox.keyOf(name, text);
  const made: Made[] = parts
    .filter((part) => part.type === 'tool-call')
    .filter(isEnded)
    .map((part) => ({ call: keyOf(part), name: part.name, status: part.status }));
  for (const call of calls) {
    const key = keyOf(call);
    const lastChange = made.findLastIndex(
      (one) => one.status === 'done' && one.call !== key && toolbox.changes(one.name),
    );
    const again = made.slice(lastChange + 1).filter((one) => one.call === key);
    const failed = toolbox.changes(call.name) && again.some(({ status }) => status === 'failed');
    if (failed || again.length >= 2) return call.name;
    made.push({ call: key, name: call.name, status: 'waiting' });
  }
  return undefined;
}
