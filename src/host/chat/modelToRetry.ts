import type { Turn } from '../../core/conversation/conversation.ts';

/**
 * The model that a turn is asked of again: its own, unless it never answered or its error was about
 * the model. Then it is the one that was chosen since.
 */
export async function modelToRetry(
  turn: Turn,
  requireModel: () => Promise<string>,
): Promise<string> {
  const chosen = await requireModel();
  const unanswered = turn.error?.remedy === 'select-model' || turn.status === 'failed';
  return unanswered || turn.model === '' ? chosen : turn.model;
}
