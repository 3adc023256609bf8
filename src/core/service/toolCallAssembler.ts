import { isObject, nonEmpty, type JsonObject } from '../support/json.ts';

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

/**
 * Joins the fragments of tool calls of one stream. Fragments belong together by `index`, else by
 * `id`, else to the call before; the same index with a new id and a name is a new call. The first
 * id and name that are not empty win.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  add(fragment: unknown): void {
    if (!isObject(fragment)) return;
    const inner = fragment['function'];
    const description = isObject(inner) ? inner : {};
    const call = this.#find(fragment, description);
    call.id ||= nonEmpty(fragment['id']) ?? '';
    call.name ||= nonEmpty(description['name']) ?? '';
    const text = argumentText(description['arguments']);
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

  #find(fragment: JsonObject, description: JsonObject): OpenCall {
    const id = nonEmpty(fragment['id']);
    const index = fragment['index'];
    if (typeof index !== 'number' || !Number.isInteger(index)) return this.#findById(id);
    const known = this.#byIndex.get(index);
    const another =
      id !== undefined &&
      known?.id !== '' &&
      known?.id !== id &&
      nonEmpty(description['name']) !== undefined;
    if (known !== undefined && !another) return known;
    const call = this.#open();
    this.#byIndex.set(index, call);
    return call;
  }

  #findById(id: string | undefined): OpenCall {
    const last = this.#calls.at(-1);
    if (id === undefined) return last ?? this.#open();
    return this.#calls.find((call) => call.id === id) ?? this.#open();
  }

  #open(): OpenCall {
    const call = { id: '', name: '', fragments: [] };
    this.#calls.push(call);
    return call;
  }
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
