import { canContinue, type Conversation } from './conversation.ts';

/** A plan that waits to be carried out: the newest reply. */
export interface OpenPlan {
  readonly turn: string;
  /** Markdown with a task list. */
  readonly text: string;
}

/** An item of a task list that isn't ticked. */
const openTask = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]/m;

/**
 * The plan at the end of a chat: a complete reply with a task list, to the message that asks for a
 * plan or to one about it. Undefined once a message was sent in Agent, which starts the plan.
 */
export function openPlan({ turns, running }: Conversation): OpenPlan | undefined {
  const last = turns.at(-1);
  if (running !== undefined || last?.status !== 'finished' || canContinue(last)) return undefined;
  const agent = turns.findLastIndex(({ mode = 'agent' }) => mode === 'agent');
  if (turns.slice(agent + 1).every(({ question }) => question.plan !== true)) return undefined;
  const text = last.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .findLast((written) => openTask.test(written));
  return text === undefined ? undefined : { turn: last.id, text };
}
