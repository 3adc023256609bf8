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
  return (
    <article class={last ? 'answer last' : 'answer'} aria-label={l10n.t('Assistant')}>
      <div class="parts" aria-busy={running}>
        {turn.parts.map((part, index) => (
          <PartView
            key={index}
            part={part}
            index={index}
            json={turn.json === true}
            live={running && mayGrow(turn.parts, index)}
          />
        ))}
      </div>
      {!running && <Outcome turn={turn} last={last} />}
      {!running && <AnswerFooter turn={turn} last={last} />}
    </article>
  );
}

/** Text is added to the last part, and thoughts to those that did not end. */
function mayGrow(parts: readonly Part[], index: number): boolean {
  const part = parts[index];
  return part?.type === 'reasoning' ? part.endedAt === undefined : index === parts.length - 1;
}

interface PartProps {
  readonly part: Part;
  /** Its place in the answer. */
  readonly index: number;
  readonly json: boolean;
  /** Whether more of it may come. */
  readonly live: boolean;
}

function PartView({ part, index, json, live }: PartProps) {
  switch (part.type) {
    case 'text':
      return json ? (
        <JsonReply text={part.text} index={index} live={live} />
      ) : (
        <Prose text={part.text} index={index} live={live} />
      );
    case 'reasoning':
      return <Reasoning part={part} index={index} live={live} />;
    case 'tool-call':
      return <ToolCall part={part} index={index} />;
  }
}
