/** The ids of tool calls in a request. The chat keeps the ids that its models gave. */
import type { ToolCallPart } from '../conversation/conversation.ts';
import { fnvHash, fnvPrime } from '../support/text.ts';

/** The model of a request, by its written id, and the id of its service. */
export interface Recipient {
  readonly model: string;
  /** Undefined only without a service, as in an estimate. */
  readonly service?: string | undefined;
}

/** True if a call was written by the model that receives the request, at the same service. */
export function isOwnCall(
  call: ToolCallPart,
  writtenBy: string,
  { model, service }: Recipient,
): boolean {
  return writtenBy === model && call.trace?.service === service;
}

/**
 * A call keeps its id in requests to the model and service that gave it; every other id becomes nine
 * letters and digits, and no two calls of a request share one.
 *
 * Nine letters and digits are what the strictest templates demand. A model's own ids go back as they
 * came, since some carry meaning: the function's name in the template of Kimi, a signature behind
 * gateways for Gemini. The same calls in the same order always get the same ids, so that services
 * can cache requests.
 */
export class CallIds {
  readonly #used = new Set<string>();

  idOf(id: string, isOwn: boolean): string {
    const sent = unusedId(isOwn && id !== '' ? id : nineCharacters(id), this.#used);
    this.#used.add(sent);
    return sent;
  }
}

/** The id itself, or if it is used, one of the same form: services number their calls. */
function unusedId(id: string, used: ReadonlySet<string>): string {
  if (!used.has(id)) return id;
  const [digits = ''] = /\d{0,9}$/.exec(id) ?? [];
  const start = id.slice(0, id.length - digits.length);
  let sent = id;
  for (let number = Number(digits) + 1; used.has(sent); number++) {
    // Counting on must not change the length, which is part of the form.
    const next = start + `${number}`.padStart(digits.length, '0');
    const isForm = digits !== '' && next.length === id.length;
    sent = isForm ? next : nineCharacters(digits === '' ? `${id} ${number}` : next);
  }
  return sent;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Nine letters and digits that stand for a text: two of its hashes. */
function nineCharacters(text: string): string {
  return lettersOf(hashOf(text, fnvPrime), 5) + lettersOf(hashOf(text, 0x85_eb_ca_6b), 4);
}

/** The 32 bits of a hash, mixed: its low bits alone depend on little of the text. */
function hashOf(text: string, prime: number): number {
  const hash = fnvHash(text, prime);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function lettersOf(hash: number, count: number): string {
  let [rest, letters] = [hash, ''];
  for (let index = 0; index < count; index++) {
    letters += alphabet.charAt(rest % alphabet.length);
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}
