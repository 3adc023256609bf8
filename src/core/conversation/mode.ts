import { canContinue, type Conversation } from './conversation.ts';

/** Modes of a chat, lowest first: the model only writes, also reads, or also makes changes. */
export const chatModes = ['chat', 'ask', 'agent'] as const;

export type ChatMode = (typeof chatModes)[number];

/** The mode for a message in a chat of this mode: a plan is never written in Agent. */
export function modeOfMessage(
  { plan }: { readonly plan?: boolean | undefined },
  mode: ChatMode,
): ChatMode {
  return plan === true && mode === 'agent' ? 'ask' : mode;
}

/** True if `mode` allows more than `than`. */
export function isHigher(mode: ChatMode, than: ChatMode): boolean {
  return chatModes.indexOf(mode) > chatModes.indexOf(than);
}

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
