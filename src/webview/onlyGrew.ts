import type { Part, Turn } from '../core/conversation/conversation.ts';

/** Whether all that changed between two states of a turn is that text of it got longer. */
export function onlyGrew(before: Turn | undefined, after: Turn | undefined): boolean {
  return (
    before !== undefined &&
    before.id === after?.id &&
    before.status === after.status &&
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => hasSameForm(part, after.parts[index]))
  );
}

function hasSameForm(before: Part, after: Part | undefined): boolean {
  if (before === after || before.type !== 'reasoning') return before.type === after?.type;
  return after?.type === 'reasoning' && before.endedAt === after.endedAt;
}
