import { isObject, nonEmptyString, parseJson, type JsonObject } from '../support/json.ts';

/** A tool call of the model (section 2.3). */
export interface ToolCall {
  /** Generated if the service sent none, so that a result can refer to it. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be invalid. */
  readonly arguments: string;
}

interface OpenCall {
  id: string;
  name: string;
  /** Joined once at the end: appending to one long string for each fragment would flatten it. */
  readonly fragments: string[];
}

/** The fields of one fragment of a call. */
interface Fragment {
  readonly index: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/**
 * Joins the fragments of the tool calls of one stream. Fragments are matched by `index`, else by
 * `id`, else to the previous call, unless they begin another call. The first non-empty id is used;
 * a name may arrive in pieces, or be repeated with each fragment.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<string, OpenCall>();

  /** @param position in a list of complete calls (section 2.3): takes precedence over the index */
  add(value: unknown, position?: number): void {
    if (!isObject(value)) return;
    const fragment = readFragment(value, position);
    const { id, name, text } = fragment;
    const call = this.#find(fragment);
    call.id ||= id ?? '';
    if (name !== undefined && name !== call.name) call.name += name;
    if (text !== '') call.fragments.push(text);
  }

  /** The calls so far, in order of their first fragments. */
  finish(): readonly ToolCall[] {
    return this.#calls.map((call, position) => ({
      id: call.id === '' ? `call_${position + 1}` : call.id,
      name: call.name,
      arguments: call.fragments.join(''),
    }));
  }

  #find(fragment: Fragment): OpenCall {
    const { index, id } = fragment;
    const match =
      index === undefined
        ? this.#calls.findLast((call) => id === undefined || call.id === id)
        : this.#byIndex.get(index);
    if (match !== undefined && !startsNewCall(fragment, match)) return match;
    const call = { id: '', name: '', fragments: [] };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function readFragment(value: JsonObject, position: number | undefined): Fragment {
  const functionField = value['function'];
  const fields = isObject(functionField) ? functionField : {};
  return {
    index: readIndex(position ?? value['index']),
    id: nonEmptyString(value['id']),
    name: nonEmptyString(fields['name']),
    text: argumentText(fields['arguments']),
  };
}

/**
 * Whether a fragment cannot belong to the call that it was matched to. Some services give all calls
 * the same index, or neither index nor id; others repeat the name with each fragment.
 */
function startsNewCall({ index, id, name, text }: Fragment, call: OpenCall): boolean {
  if (name === undefined) return false;
  if (id !== undefined && call.id !== '' && id !== call.id) return true;
  if (call.name === '' || call.fragments.length === 0) return false;
  if (name !== call.name) return true;
  return (index === undefined || text.startsWith('{')) && isComplete(call);
}

function isComplete({ fragments }: OpenCall): boolean {
  return fragments.at(-1)?.endsWith('}') === true && isObject(parseJson(fragments.join('')));
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/**
 * The `index` of a choice (section 2.2) or of a tool call, normalized for comparison: some services
 * send the number as a string. Undefined if there is none.
 */
export function readIndex(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : nonEmptyString(value);
}
