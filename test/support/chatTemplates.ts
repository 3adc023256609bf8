/**
 * The rules about messages that published chat templates state, and raise an exception for. Each is
 * written anew from a template; its author's words are quoted where it has some.
 */
import type { WireMessage } from '../../src/core/service/wire.ts';

type Rule = (messages: readonly WireMessage[]) => string | undefined;

/** The messages after a system message at the beginning, which all templates take out first. */
function afterSystem(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages[0]?.role === 'system' ? messages.slice(1) : messages;
}

function isCall(message: WireMessage): boolean {
  return message.role === 'assistant' && message.tool_calls !== undefined;
}

/** The first message of a list that is not a user message at an even place, and another at an odd one. */
function outOfTurn(messages: readonly WireMessage[]): string | undefined {
  const wrong = messages.find(({ role }, index) => (role === 'user') !== (index % 2 === 0));
  return wrong && `${wrong.role} out of turn`;
}

const nine = /^[a-zA-Z0-9]{9}$/;

function idsOf(messages: readonly WireMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [message.tool_call_id];
    return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  });
}

/**
 * Mistral 7B v0.3, Nemo, Small 3.1: "After the optional system message, conversation roles must
 * alternate user/assistant/user/assistant/...", where results and messages with calls are skipped;
 * "Only user and assistant roles are supported, with the exception of an initial optional system
 * message!"
 */
const mistral: Rule = (messages) => {
  const spoken = afterSystem(messages).filter(
    (message) => message.role !== 'tool' && !isCall(message),
  );
  if (spoken.some(({ role }) => role === 'system')) return 'system';
  return outOfTurn(spoken);
};

/**
 * The order that Mistral's service and `mistral-common` check: "Unexpected role 'user' after role
 * 'tool'", "Not the same number of function calls and responses", "Duplicate tool call id", "Expected
 * last role User or Tool".
 */
const mistralOrder: Rule = (messages) => {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const { role: before } = messages[index - 1] ?? {};
    if (before === 'tool' && message.role !== 'tool' && message.role !== 'assistant')
      return `${message.role} after tool`;
    if (before === 'user' && message.role === 'tool') return 'tool after user';
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return 'a result without its call';
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return 'a call without its result';
    if (message.role === 'assistant') open = (message.tool_calls ?? []).map(({ id }) => id);
    if (new Set(open).size < open.length) return 'an id twice in a message';
  }
  const { role } = messages.at(-1) ?? {};
  return role === 'user' || role === 'tool' ? undefined : `${role} at the end`;
};

/**
 * Devstral 2, Ministral 3: "After the optional system message, conversation roles must alternate user
 * and assistant roles except for tool calls and results"; "Only user, assistant and tool roles are
 * supported"; an assistant message has text or calls.
 */
const devstral: Rule = (messages) => {
  const others = afterSystem(messages);
  if (others.some(({ role }) => role === 'system')) return 'system';
  const isEmpty = others.some(
    (message) => message.role === 'assistant' && !isCall(message) && !message.content,
  );
  if (isEmpty) return 'an empty assistant message';
  return outOfTurn(others.filter((message) => message.role !== 'tool' && !isCall(message)));
};

/**
 * Gemma 3, in the form with tools: "Conversation roles must alternate user/assistant/user/assistant/...",
 * without messages with calls and their results. The system message is added to the first user
 * message, so that one must follow.
 */
const gemma: Rule = (messages) => {
  const others = afterSystem(messages);
  if (others[0]?.role !== 'user') return 'no user message first';
  return outOfTurn(others.filter((message) => message.role !== 'tool' && !isCall(message)));
};

/**
 * Llama 3.1 and 3.2: "Cannot put tools in the first user message when there's no first user message!"
 * It takes whatever follows the system message for that message. That it "only supports single
 * tool-calls at once" is left to the service: splitting a reply would separate calls from what is
 * signed with them.
 */
const llama: Rule = (messages) =>
  afterSystem(messages)[0]?.role === 'user' ? undefined : 'no first user message';

/** Qwen 3.5: "System message must be at the beginning." and "No user query found in messages." */
const qwen: Rule = (messages) => {
  if (messages.some(({ role }, index) => role === 'system' && index > 0)) return 'system';
  return messages.some(({ role }) => role === 'user') ? undefined : 'no user message';
};

const rules = { mistral, mistralOrder, devstral, gemma, llama, qwen };

/** Why templates refuse messages; empty if all of them take the order of roles. */
export function refusals(messages: readonly WireMessage[]): readonly string[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const reason = rule(messages);
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });
}

/**
 * The ids of calls that Mistral's templates refuse: "Tool call IDs should be alphanumeric strings with
 * length 9!"
 */
export function refusedIds(messages: readonly WireMessage[]): readonly string[] {
  return idsOf(messages).filter((id) => !nine.test(id));
}

/** The ids of calls, each of which has one result. */
export function callIdsOf(messages: readonly WireMessage[]): readonly string[] {
  return idsOf(messages.filter(({ role }) => role === 'assistant'));
}
