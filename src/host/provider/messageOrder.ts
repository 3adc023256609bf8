/** Brings the requests of other extensions into the form that the chat templates of all models take. */
import type { WireMessage } from '../../core/service/wire.ts';
import { CallIds } from '../../core/turn/callIds.ts';
import { missingReply, pieceSeparator } from '../../core/turn/messagePieces.ts';

/** Stands for the message that the model replied to, if the messages begin with its reply. */
const missingMessage = '(The conversation begins here.)';

/**
 * One system message, then user and assistant messages in turn, where nothing but an assistant message
 * follows the results of calls. Messages of the same role are joined, and no text is lost.
 */
export function orderedMessages(messages: readonly WireMessage[]): readonly WireMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const content = system.map((message) => message.content).join(pieceSeparator);
  const ordered: WireMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const last = ordered.at(-1);
    const joined = last && join(last, message);
    if (joined !== undefined) {
      ordered[ordered.length - 1] = joined;
      continue;
    }
    if (last === undefined && message.role === 'assistant')
      ordered.push({ role: 'user', content: missingMessage });
    if (last?.role === 'tool' && message.role === 'user')
      ordered.push({ role: 'assistant', content: missingReply });
    ordered.push(message);
  }
  if (system.length === 0) return ordered;
  return ordered.length === 0
    ? [{ role: 'user', content }]
    : [{ role: 'system', content }, ...ordered];
}

/** Two messages in one; undefined unless a user or an assistant wrote both, one after the other. */
function join(first: WireMessage, second: WireMessage): WireMessage | undefined {
  const content = [first.content ?? '', second.content ?? '']
    .filter((text) => text !== '')
    .join(pieceSeparator);
  if (first.role === 'user' && second.role === 'user') {
    const images = [...(first.images ?? []), ...(second.images ?? [])];
    return { role: 'user', content, ...(images.length === 0 ? {} : { images }) };
  }
  if (first.role === 'assistant' && second.role === 'assistant')
    return { ...second, content: content === '' ? null : content };
  return undefined;
}

/** Number of ids that are remembered for a model. */
const mostIds = 2000;

/**
 * Remembers which ids of calls a model gave in this window, since another extension may send calls of
 * any model: see {@link CallIds}.
 */
export class GivenCallIds {
  readonly #ids = new Map<string, Set<string>>();

  /** @param from identifies the model and its service */
  add(id: string, from: string): void {
    const ids = this.#ids.get(from) ?? new Set();
    this.#ids.set(from, ids.add(id));
    const [oldest] = ids;
    if (ids.size > mostIds && oldest !== undefined) ids.delete(oldest);
  }

  /** The messages with the ids that the model takes. */
  replaceIn(messages: readonly WireMessage[], to: string): readonly WireMessage[] {
    const own = this.#ids.get(to);
    const ids = new CallIds();
    let sent = new Map<string, string>();
    return messages.map((message): WireMessage => {
      if (message.role === 'tool') {
        const { tool_call_id: id } = message;
        return { ...message, tool_call_id: sent.get(id) ?? id };
      }
      if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
      sent = new Map(message.tool_calls.map(({ id }) => [id, ids.idOf(id, own?.has(id) === true)]));
      const tool_calls = message.tool_calls.map((call) => ({
        ...call,
        id: sent.get(call.id) ?? call.id,
      }));
      return { ...message, tool_calls };
    });
  }
}
