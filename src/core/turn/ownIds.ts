import type { Turn } from '../conversation/conversation.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';

/**
 * The calls of a reply, each under an id that no other call of its turn has: services that number
 * them anew in each reply, or all alike, would mix up their results.
 */
export function withOwnIds(
  calls: readonly ToolCall[],
  { parts }: Pick<Turn, 'parts'>,
): readonly ToolCall[] {
  const taken = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? part.id : [])));
  return calls.map((call) => {
    const id = freeId(call.id, taken);
    taken.add(id);
    return { ...call, id };
  });
}

function freeId(given: string, taken: ReadonlySet<string>): string {
  let id = given;
  for (let number = 2; taken.has(id); number++) id = `${given}_${number}`;
  return id;
}
