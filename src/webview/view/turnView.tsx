import { Answer } from './answer.tsx';
import { QuestionView } from './questionView.tsx';
import type { Turn } from '../../core/conversation/conversation.ts';

interface Props {
  readonly turn: Turn;
  readonly last: boolean;
}

/** A question and what answers it. */
export function TurnView({ turn, last }: Props) {
  const answered = turn.parts.length > 0 || turn.endedAt !== undefined;
  return (
    <>
      <QuestionView turn={turn.id} question={turn.question} running={turn.endedAt === undefined} />
      {answered && <Answer turn={turn} last={last} />}
    </>
  );
}
