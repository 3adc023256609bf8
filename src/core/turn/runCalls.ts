import type { Part, Turn } from '../conversation/conversation.ts';
import type { TurnEvent } from '../conversation/events.ts';
import { isCallEnded } from '../conversation/reduce.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';
import { raceAbort, Queue } from '../support/async.ts';
import { markHandled } from '../support/background.ts';
import type { CheckedCall, Toolbox, ToolResult } from '../tools/toolbox.ts';

/**
 * Maximum number of calls of one message that are run. Further ones get an error as their result.
 */
const maxCalls = 16;

interface RunCallsOptions {
  readonly toolbox: Toolbox;
  /** The id of the service that sent the calls; undefined if it has none. */
  readonly service?: string | undefined;
  /** Identifier of the conversation, whose grants apply to the calls. */
  readonly conversation: string;
  readonly turn: Turn;
  /** Number of the request whose reply contains the calls. */
  readonly round: number;
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A call with an id that is unique in its turn. */
interface Call {
  readonly id: string;
  readonly checked: CheckedCall;
}

/**
 * Runs the calls of one message and yields their events; each call gets one result. Consecutive
 * read-only calls run in parallel; all others wait for the calls before them. Throws when the
 * signal aborts; the end of the turn then marks unfinished calls as stopped.
 */
export async function* runCalls(
  calls: readonly ToolCall[],
  options: RunCallsOptions,
): AsyncGenerator<TurnEvent, void> {
  const { toolbox, service, turn, round, signal, now } = options;
  const queue = new Queue<TurnEvent>();
  // All calls are shown before the first one runs.
  const checkedCalls = withUniqueIds(calls, turn.parts).map((call, index): Call => {
    const { id, name, arguments: text, trace } = call;
    const checked: CheckedCall =
      index < maxCalls ? toolbox.check(name, text) : { refused: tooManyCalls };
    const title = 'call' in checked ? checked.call.title : undefined;
    const visible = { id, name, arguments: text, round, title, ...toolbox.appearance(name) };
    const from = service === undefined ? trace : { service, ...trace };
    queue.push({
      type: 'tool-call-start',
      call: from === undefined ? visible : { ...visible, trace: from },
      at: now(),
    });
    return { id, checked };
  });
  const running = (async () => {
    const reading: Promise<void>[] = [];
    for (const call of checkedCalls) {
      const { checked } = call;
      const onlyReads = 'refused' in checked || checked.tool.category === 'read';
      if (!onlyReads) await Promise.all(reading);
      signal.throwIfAborted();
      const done = runCall(call, options, queue);
      if (onlyReads) reading.push(done);
      else await done;
    }
    await Promise.all(reading);
  })().finally(() => queue.end());
  // A rejection is rethrown below, after the events before it have been yielded.
  markHandled(running);
  yield* queue.read();
  await running;
}

const tooManyCalls: ToolResult = {
  outcome: 'failed',
  text: `Not run: at most ${maxCalls} calls per message. Call it again in the next one.`,
};

/** Runs a call, and pushes its events: that it runs, asks, prints, and its result. */
async function runCall(
  { id, checked }: Call,
  { toolbox, conversation, turn, signal, now }: RunCallsOptions,
  queue: Queue<TurnEvent>,
): Promise<void> {
  const pushRun = (grant?: string): void =>
    queue.push({ type: 'tool-call-run', id, grant, at: now() });
  let result: ToolResult;
  if ('refused' in checked) result = checked.refused;
  else {
    pushRun();
    result = await toolbox.run(checked.tool, checked.call, {
      conversation,
      turn: turn.id,
      call: id,
      signal,
      async requestApproval(request, answer) {
        queue.push({ type: 'tool-call-ask', id, question: request });
        const chosen = await raceAbort(answer(signal), signal);
        pushRun();
        return chosen;
      },
      print: (text) => queue.push({ type: 'tool-call-output', id, text }),
      runsUnder: pushRun,
    });
  }
  const { outcome, text, denialReason } = result;
  const event = { type: 'tool-call-result', id, outcome, result: text, at: now() } as const;
  queue.push(denialReason === undefined ? event : { ...event, denialReason });
}

/**
 * Makes the ids of the calls unique within the turn. Some services restart their numbering in each
 * reply, or use one id for all calls, and results would be mixed up.
 */
export function withUniqueIds(
  calls: readonly ToolCall[],
  parts: readonly Part[],
): readonly ToolCall[] {
  const usedIds = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? part.id : [])));
  return calls.map((call) => {
    let { id } = call;
    for (let number = 2; usedIds.has(id); number++) id = `${call.id}_${number}`;
    usedIds.add(id);
    return { ...call, id };
  });
}

/**
 * The tool whose call the model repeats without progress: the same call with the same arguments for
 * the third time, or an edit that failed before. A different edit restarts the count.
 */
export function findRepeated(
  calls: readonly ToolCall[],
  { parts }: Turn,
  toolbox: Toolbox,
): string | undefined {
  const keyOf = ({ name, arguments: text }: ToolCall): string => toolbox.callKey(name, text);
  const earlierCalls: { key: string; name: string; status: string }[] = parts
    .filter((part) => part.type === 'tool-call')
    .filter(isCallEnded)
    .map((part) => ({ key: keyOf(part), name: part.name, status: part.status }));
  for (const call of calls) {
    const key = keyOf(call);
    const lastChange = earlierCalls.findLastIndex(
      (earlier) =>
        earlier.status === 'done' && earlier.key !== key && toolbox.doesMoreThanRead(earlier.name),
    );
    const repeats = earlierCalls.slice(lastChange + 1).filter((earlier) => earlier.key === key);
    const failedBefore =
      toolbox.doesMoreThanRead(call.name) && repeats.some(({ status }) => status === 'failed');
    if (failedBefore || repeats.length >= 2) return call.name;
    earlierCalls.push({ key, name: call.name, status: 'waiting' });
  }
  return undefined;
}
