import {
  isObject,
  JsonScanner,
  nonEmptyString,
  parseJson,
  writeJson,
  type JsonObject,
} from '../support/json.ts';
import { knownToolName } from '../support/toolName.ts';
import { ReplyTrace, TraceRoom } from './replyTrace.ts';

/** A tool call of the model (docs/service.md 2.3). */
export interface ToolCall {
  /** Generated if the service sent none, so that results can refer to it. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be invalid. */
  readonly arguments: string;
  /**
   * Fields that the service may want back as they came. Those of the message are with its first
   * call.
   */
  readonly trace?: CallTrace | undefined;
}

/** See `traceIn`. */
export interface CallTrace {
  readonly message?: JsonObject | undefined;
  readonly call?: JsonObject | undefined;
}

interface OpenCall {
  id: string;
  name: string;
  /** Joined once at the end: appending to a string for each fragment would flatten it each time. */
  readonly fragments: string[];
  /** Scans each fragment once, for {@link isClosed}. */
  readonly scanner: JsonScanner;
  scanned: number;
  /** True if the brackets were closed around invalid JSON. */
  isInvalid: boolean;
  readonly trace: ReplyTrace;
}

interface Fragment {
  readonly index: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly source: JsonObject;
}

/** Maximum number of calls of a reply. No model makes as many; later ones are ignored. */
const maxCalls = 128;

/**
 * Joins the fragments of the tool calls of one stream. Fragments are matched by `index`, else by
 * `id`, else to the previous call, unless they begin another call. The first non-empty id is used;
 * a name may arrive in pieces, or be repeated with each fragment.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<string, OpenCall>();
  readonly #names: readonly string[];
  readonly #room: TraceRoom;

  /**
   * @param names of the functions that the model may call, if known
   * @param room for the traces of the reply
   */
  constructor(names: readonly string[] = [], room = new TraceRoom()) {
    this.#names = names;
    this.#room = room;
  }

  /** True if the last call doesn't end like a JSON object, so that more must follow. */
  get isOpen(): boolean {
    const last = this.#calls.at(-1)?.fragments.at(-1)?.trimEnd() ?? '';
    return last !== '' && !last.endsWith('}');
  }

  /** Adds the fragments of one chunk. Each beginning is a separate call. */
  addAll(values: readonly unknown[]): void {
    if (values.length === 1) {
      this.add(values[0]);
      return;
    }
    const named = new Set<OpenCall>();
    for (const value of values) {
      if (!isObject(value)) continue;
      const fragment = readFragment(value, undefined);
      const matched = this.#find(fragment);
      const isNext = matched !== undefined && named.has(matched) && isBeginning(fragment);
      const call = isNext ? this.#begin(fragment) : matched;
      if (call === undefined) continue;
      if (fragment.name !== undefined) named.add(call);
      append(call, fragment);
    }
  }

  /**
   * @param position in a list of complete calls (docs/service.md 2.3); takes precedence over the
   * index
   */
  add(value: unknown, position?: number): void {
    if (!isObject(value)) return;
    const fragment = readFragment(value, position);
    const call = this.#find(fragment);
    if (call !== undefined) append(call, fragment);
  }

  /**
   * The calls so far, in order of their first fragments.
   * @param message the trace of the message
   */
  finish(message?: JsonObject): readonly ToolCall[] {
    return this.#calls.map((call, position) => {
      const ofCall = call.trace.value;
      const trace = {
        ...(position === 0 && message && { message }),
        ...(ofCall && { call: ofCall }),
      };
      return {
        // Nine letters and digits, as the strictest templates want it.
        id: call.id === '' ? `call${String(position + 1).padStart(5, '0')}` : call.id,
        name: knownToolName(call.name, this.#names),
        arguments: call.fragments.join(''),
        ...(Object.keys(trace).length === 0 ? {} : { trace }),
      };
    });
  }

  #find(fragment: Fragment): OpenCall | undefined {
    const { index, id } = fragment;
    const match =
      index === undefined
        ? this.#calls.findLast((call) => id === undefined || call.id === id)
        : this.#byIndex.get(index);
    if (match !== undefined && !startsNewCall(fragment, match, this.#names)) return match;
    return this.#begin(fragment);
  }

  #begin({ index }: Fragment): OpenCall | undefined {
    if (this.#calls.length >= maxCalls) return undefined;
    const scanner = new JsonScanner();
    const open = { id: '', name: '', fragments: [], scanned: 0, isInvalid: false };
    const call = { ...open, scanner, trace: new ReplyTrace(this.#room) };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function append(call: OpenCall, { id, name, text, source }: Fragment): void {
  call.id ||= id ?? '';
  if (name !== undefined && name !== call.name) call.name += name;
  if (text !== '') call.fragments.push(text);
  call.trace.add(source);
}

function readFragment(value: JsonObject, position: number | undefined): Fragment {
  const functionField = value['function'];
  const fields = isObject(functionField) ? functionField : {};
  const json = fields['arguments'] ?? '';
  return {
    index: readIndex(position ?? value['index']),
    id: nonEmptyString(value['id']),
    name: nonEmptyString(fields['name']),
    text: typeof json === 'string' ? json : writeJson(json),
    source: value,
  };
}

/**
 * True if a fragment can't belong to the call it was matched to. Some services give all calls the
 * same index, or neither index nor id; others repeat the name with each fragment.
 */
function startsNewCall(
  { index, id, name, text }: Fragment,
  call: OpenCall,
  names: readonly string[],
): boolean {
  if (name === undefined) return false;
  if (id !== undefined && call.id !== '' && id !== call.id) return true;
  if (call.name === '') return false;
  if (call.fragments.length === 0) return id === undefined && isOtherName(name, call, names);
  if (name !== call.name) return true;
  return (index === undefined || text.startsWith('{')) && isClosed(call);
}

/**
 * True if a name is that of another call rather than the next piece of the same name: according to
 * the request's functions if known, otherwise because only the first piece has an id.
 */
function isOtherName(name: string, call: OpenCall, names: readonly string[]): boolean {
  if (name === call.name) return false;
  if (names.some((known) => known.startsWith(call.name + name))) return false;
  return names.includes(call.name) || call.id === '';
}

/** True if a fragment has a name but no id, and at most the beginning of arguments. */
function isBeginning({ id, name, text }: Fragment): boolean {
  return id === undefined && name !== undefined && (text === '' || text.startsWith('{'));
}

/** True if the arguments are a complete JSON object. */
function isClosed(call: OpenCall): boolean {
  const { fragments, scanner } = call;
  for (; call.scanned < fragments.length; call.scanned += 1) {
    scanner.add(fragments[call.scanned] ?? '');
  }
  if (call.isInvalid || !scanner.isClosed) return false;
  call.isInvalid = !isWholeCall(fragments.join(''));
  return !call.isInvalid;
}

/** True if the arguments of a call are a JSON object or empty, which stands for an empty object. */
export function isWholeCall(json: string): boolean {
  return json.trim() === '' || isObject(parseJson(json));
}

/**
 * The `index` of a choice (docs/service.md 2.2) or a tool call, normalized for comparison: some
 * services send it as a string. Undefined if there is none.
 */
export function readIndex(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : nonEmptyString(value);
}
