import * as l10n from '@vscode/l10n';
import type { Part, Turn } from '../../core/conversation/conversation.ts';
import { AnswerFooter } from './answerFooter.tsx';
import { JsonReply } from './jsonReply.tsx';
import { Outcome } from './outcome.tsx';
import { Prose } from './prose.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolCall } from './toolCall.tsx';

interface Props {
  readonly turn: Turn;
  readonly last: boolean;
}

export function Answer({ turn, last }: Props) {
  const running = turn.endedAt === undefined;
  const count = turn.parts.length;
  return (
    <article class={last ? 'answer last' : 'answer'} aria-label={l10n.t('Assistant')}>
      <div class="parts" aria-busy={running}>
        {turn.parts.map((part, index) => (
          <PartView key={index} part={part} turn={turn} live={running && index === count - 1} />
        ))}
      </div>
      {!running && <Outcome turn={turn} last={last} />}
      {!running && <AnswerFooter turn={turn} last={last} />}
    </article>
  );
}

interface PartProps {
  readonly part: Part;
  readonly turn: Turn;
  /** Whether more of it may come. */
  readonly live: boolean;
}

function PartView({ part, turn, live }: PartProps) {
  switch (part.type) {
    case 'text':
      return turn.json === true ? (
        <JsonReply text={part.text} live={live} />
      ) : (
        <Prose text={part.text} live={live} />
      );
    case 'reasoning':
      return <Reasoning part={part} live={live} />;
    case 'tool-call':
      return <ToolCall part={part} />;
  }
}
