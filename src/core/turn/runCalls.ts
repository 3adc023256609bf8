import type { Turn } from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/events.ts';
import { isCallEnded } from '../conversation/reduceCalls.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';
import { raceAbort, Queue } from '../support/async.ts';
import type { RequestApproval, ToolContext } from '../tools/tool.ts';
import type { CheckedCall, Toolbox, ToolResult } from '../tools/toolbox.ts';

/** Calls of one message that are carried out; the rest get an error as their result. */
const maxCalls = 16;

interface RunCallsOptions {
  readonly toolbox: Toolbox;
  /** The turn as it is before the calls. */
  readonly turn: Turn;
  /** The number of the request that asked for them. */
  readonly round: number;
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A call under an id of its own. */
interface Call {
  readonly id: string;
  readonly checked: CheckedCall;
}

/**
 * Carries out the calls of one message and yields what happens to them; each gets one result. Calls
 * that only read run side by side; all others wait for those before them. Throws when the signal
 * aborts: what goes on then has ended before.
 */
export async function* runCalls(
  calls: readonly ToolCall[],
  options: RunCallsOptions,
): AsyncGenerator<ConversationEvent, void> {
  const queue = new Queue<ConversationEvent>();
  const started = begin(calls, options, queue);
  const running = runAll(started, options, queue).finally(() => queue.end());
  // Its rejection is thrown below, after what happened until then was told.
  running.catch(() => undefined);
  yield* queue.read();
  await running;
}

/** Shows all of them before the first runs. */
function begin(
  calls: readonly ToolCall[],
  { toolbox, turn, round }: RunCallsOptions,
  queue: Queue<ConversationEvent>,
): readonly Call[] {
  return withUniqueIds(calls, turn).map(({ id, name, arguments: text }, index) => {
    const checked: CheckedCall =
      index < maxCalls ? toolbox.check(name, text) : { refused: tooMany() };
    const title = 'call' in checked ? checked.call.title : undefined;
    const shown = { round, title, ...toolbox.appearance(name) };
    queue.push({ type: 'tool-call-start', call: { id, name, arguments: text, ...shown } });
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
  queue: Queue<ConversationEvent>,
): Promise<void> {
  for (const batch of batchesOf(calls)) {
    options.signal.throwIfAborted();
    await Promise.all(batch.map((call) => runOne(call, options, queue)));
  }
}

/** Neighbours that only read are one batch. */
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
  queue: Queue<ConversationEvent>,
): Promise<void> {
  const { toolbox, now } = options;
  const result =
    'refused' in checked
      ? checked.refused
      : await toolbox.run(checked.tool, checked.call, contextOf(id, options, queue));
  const { outcome, text } = result;
  queue.push({ type: 'tool-call-result', id, outcome, result: text, at: now() });
}

function contextOf(
  id: string,
  { turn, signal, now }: RunCallsOptions,
  queue: Queue<ConversationEvent>,
): ToolContext {
  const run = (grant?: string): void => queue.push({ type: 'tool-call-run', id, grant, at: now() });
  const requestApproval: RequestApproval = async (request, answer) => {
    queue.push({ type: 'tool-call-ask', id, question: request });
    const given = await raceAbort(answer(signal), signal);
    run();
    return given;
  };
  run();
  return {
    turn: turn.id,
    call: id,
    signal,
    requestApproval,
    print: (text) => queue.push({ type: 'tool-call-output', id, text }),
    runsUnder: run,
  };
}

/**
 * The calls of a reply, each under an id that no other call of its turn has: services that number
 * them anew in each reply, or all alike, would mix up their results.
 */
export function withUniqueIds(
  calls: readonly ToolCall[],
  { parts }: Pick<Turn, 'parts'>,
): readonly ToolCall[] {
  const taken = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? part.id : [])));
  return calls.map((call) => {
    const id = freeId(call.id, taken);
    taken.add(id);
    return { ...call, id };
  });
}

function freeId(given: string, taken: ReadonlySet<string>): string {
  let id = given;
  for (let number = 2; taken.has(id); number++) id = `${given}_${number}`;
  return id;
}

interface Made {
  /** See `Toolbox.keyOf`. */
  readonly call: string;
  readonly name: string;
  readonly status: string;
}

/**
 * The tool that the model calls in vain, if one of these calls does: the same with the same arguments
 * for the third time, or a change that failed before. After another change the same question is a
 * new one.
 */
export function findRepeated(
  calls: readonly ToolCall[],
  { parts }: Turn,
  toolbox: Pick<Toolbox, 'isEditTool' | 'callKey'>,
): string | undefined {
  const keyOf = ({ name, arguments: text }: Pick<ToolCall, 'name' | 'arguments'>): string =>
    toolbox.callKey(name, text);
  const made: Made[] = parts
    .filter((part) => part.type === 'tool-call')
    .filter(isCallEnded)
    .map((part) => ({ call: keyOf(part), name: part.name, status: part.status }));
  for (const call of calls) {
    const key = keyOf(call);
    const lastChange = made.findLastIndex(
      (one) => one.status === 'done' && one.call !== key && toolbox.isEditTool(one.name),
    );
    const again = made.slice(lastChange + 1).filter((one) => one.call === key);
    const failed = toolbox.isEditTool(call.name) && again.some(({ status }) => status === 'failed');
    if (failed || again.length >= 2) return call.name;
    made.push({ call: key, name: call.name, status: 'waiting' });
  }
  return undefined;
}
