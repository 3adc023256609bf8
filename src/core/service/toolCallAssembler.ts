import { isObject, nonEmptyString, parseJson, type JsonObject } from '../support/json.ts';

/** A function call that the model asks for (section 2.3). */
export interface ToolCall {
  /** Made up here where the service sent none, so that a result can name it. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it: may be no JSON at all. */
  readonly arguments: string;
}

interface OpenCall {
  id: string;
  name: string;
  /** Joined once at the end: appending to one long string for each fragment would flatten it. */
  readonly fragments: string[];
}

/** What is known of a call from one fragment. */
interface Fragment {
  readonly index: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/**
 * Joins the fragments of tool calls of one stream. Fragments belong together by `index`, else by
 * `id`, else to the call before, unless they begin another call. The first id that is not empty
 * wins; a name may come in pieces, or again with each fragment.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<string, OpenCall>();

  /** @param position in a list of whole calls (section 2.3): it says more than an index */
  add(value: unknown, position?: number): void {
    if (!isObject(value)) return;
    const fragment = readFragment(value, position);
    const { id, name, text } = fragment;
    const call = this.#find(fragment);
    call.id ||= id ?? '';
    if (name !== undefined && name !== call.name) call.name += name;
    if (text !== '') call.fragments.push(text);
  }

  /** The calls so far, in the order in which they began. */
  finish(): readonly ToolCall[] {
    return this.#calls.map((call, position) => ({
      id: call.id === '' ? `call_${position + 1}` : call.id,
      name: call.name,
      arguments: call.fragments.join(''),
    }));
  }

  #find(fragment: Fragment): OpenCall {
    const { index, id } = fragment;
    const known =
      index === undefined
        ? this.#calls.findLast((call) => id === undefined || call.id === id)
        : this.#byIndex.get(index);
    if (known !== undefined && !beginsAnother(fragment, known)) return known;
    const call = { id: '', name: '', fragments: [] };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function readFragment(value: JsonObject, position: number | undefined): Fragment {
  const inner = value['function'];
  const described = isObject(inner) ? inner : {};
  return {
    index: readIndex(position ?? value['index']),
    id: nonEmptyString(value['id']),
    name: nonEmptyString(described['name']),
    text: argumentText(described['arguments']),
  };
}

/**
 * Whether a fragment cannot be part of the call that it would belong to. Some services number all
 * calls alike, or give them neither number nor id; others repeat the name with each fragment.
 */
function beginsAnother({ index, id, name, text }: Fragment, call: OpenCall): boolean {
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
 * The `index` of a choice (section 2.2) or of a tool call, to be compared: some services write the
 * number as a text. Undefined where there is none.
 */
export function readIndex(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : nonEmptyString(value);
}
