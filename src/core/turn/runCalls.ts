import type { Part, Turn } from '../conversation/conversation.ts';
import type { TurnEvent } from '../conversation/events.ts';
import { isCallEnded } from '../conversation/reduce.ts';
import type { ToolCall } from '../reply/toolCallAssembler.ts';
import { raceAbort, Queue } from '../support/async.ts';
import { markHandled } from '../support/background.ts';
import type { RequestApproval, ToolContext } from '../tools/tool.ts';
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
  const queue = new Queue<TurnEvent>();
  const started = announceCalls(calls, options, queue);
  const running = runAll(started, options, queue).finally(() => queue.end());
  // A rejection is rethrown below, after the events before it have been yielded.
  markHandled(running);
  yield* queue.read();
  await running;
}

function announceCalls(
  calls: readonly ToolCall[],
  { toolbox, service, turn, round, now }: RunCallsOptions,
  queue: Queue<TurnEvent>,
): readonly Call[] {
  return withUniqueIds(calls, turn.parts).map(({ id, name, arguments: text, trace }, index) => {
    const checked: CheckedCall =
      index < maxCalls ? toolbox.check(name, text) : { refused: tooMany() };
    const title = 'call' in checked ? checked.call.title : undefined;
    const visible = { id, name, arguments: text, round, title, ...toolbox.appearance(name) };
    const from = service === undefined ? trace : { service, ...trace };
    const call = from === undefined ? visible : { ...visible, trace: from };
    queue.push({ type: 'tool-call-start', call, at: now() });
    return { id, checked };
  });
}

function tooMany(): ToolResult {
  const text = `Not run: at most ${maxCalls} calls per message. Call it again in the next one.`;
  return { outcome: 'failed', text };
}

async function runAll(
  calls: readonly Call[],
  options: RunCallsOptions,
  queue: Queue<TurnEvent>,
): Promise<void> {
  for (const batch of batchesOf(calls)) {
    options.signal.throwIfAborted();
    await Promise.all(batch.map((call) => runOne(call, options, queue)));
  }
}

/** Groups consecutive read-only calls into batches. */
function batchesOf(calls: readonly Call[]): readonly (readonly Call[])[] {
  const batches: Call[][] = [];
  let reads: Call[] | undefined;
  for (const call of calls) {
    if (reads !== undefined && onlyReads(call)) {
      reads.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    reads = onlyReads(call) ? batch : undefined;
  }
  return batches;
}

function onlyReads({ checked }: Call): boolean {
  return !('tool' in checked) || checked.tool.category === 'read';
}

async function runOne(
  { id, checked }: Call,
  options: RunCallsOptions,
  queue: Queue<TurnEvent>,
): Promise<void> {
  const { toolbox, now } = options;
  const result =
    'refused' in checked
      ? checked.refused
      : await toolbox.run(checked.tool, checked.call, contextOf(id, options, queue));
  const { outcome, text, denialReason } = result;
  const event = { type: 'tool-call-result', id, outcome, result: text, at: now() } as const;
  queue.push(denialReason === undefined ? event : { ...event, denialReason });
}

function contextOf(
  id: string,
  { conversation, turn, signal, now }: RunCallsOptions,
  queue: Queue<TurnEvent>,
): ToolContext {
  const run = (grant?: string): void => queue.push({ type: 'tool-call-run', id, grant, at: now() });
  const requestApproval: RequestApproval = async (request, answer) => {
    queue.push({ type: 'tool-call-ask', id, question: request });
    const callId = await raceAbort(answer(signal), signal);
    run();
    return callId;
  };
  run();
  return {
    conversation,
    turn: turn.id,
    call: id,
    signal,
    requestApproval,
    print: (text) => queue.push({ type: 'tool-call-output', id, text }),
    runsUnder: run,
  };
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

interface EarlierCall {
  /** See `Toolbox.callKey`. */
  readonly call: string;
  readonly name: string;
  readonly status: string;
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
  const earlierCalls: EarlierCall[] = parts
    .filter((part) => part.type === 'tool-call')
    .filter(isCallEnded)
    .map((part) => ({ call: keyOf(part), name: part.name, status: part.status }));
  for (const call of calls) {
    const key = keyOf(call);
    const lastChange = earlierCalls.findLastIndex(
      (earlier) =>
        earlier.status === 'done' && earlier.call !== key && toolbox.isEditTool(earlier.name),
    );
    const repeats = earlierCalls.slice(lastChange + 1).filter((earlier) => earlier.call === key);
    const failedBefore =
      toolbox.isEditTool(call.name) && repeats.some(({ status }) => status === 'failed');
    if (failedBefore || repeats.length >= 2) return call.name;
    earlierCalls.push({ call: key, name: call.name, status: 'waiting' });
  }
  return undefined;
}
