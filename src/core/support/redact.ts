/** What a secret is replaced with, everywhere. */
export const redactionMark = '‹key›';

/** Takes secrets out of text on its way to a place where others may read it. */
export interface Redactor {
  /** The keys to look for from now on, in place of those of the last call. */
  readonly setKeys: (keys: Iterable<string>) => void;
  /** For every sink: the known keys only, so that what a person or a model wrote stays as it is. */
  readonly redact: (text: string) => string;
  /** How much of a text, in UTF-16 units, no key that goes on after its end can be part of. */
  readonly safePrefixLength: (text: string) => number;
  /** For logs and error texts: also whatever looks like a key or an `Authorization` header. */
  readonly redactError: (text: string) => string;
}

/**
 * Makes a redactor. It finds a known key as it is, in lower case, as base64 at any alignment,
 * URL-encoded and escaped in JSON, and every beginning of these that gives away 12 or more characters of the key.
 */
export function createRedactor(): Redactor {
  let disguises: readonly EncodedForm[] = [];
  const redact = (text: string): string => cutOut(text, findAll(text, disguises));
  return {
    setKeys(keys) {
      disguises = [...new Set(keys)].filter(isSecret).flatMap(encodedForms);
    },
    redact,
    safePrefixLength: (text) =>
      Math.min(text.length, ...disguises.map((disguise) => openEnd(text, disguise.text))),
    redactError: (text) =>
      redact(text)
        .replace(/\b(Bearer)\s+[^\s‹]\S{7,}/gi, `$1 ${redactionMark}`)
        .replace(/\bsk-[A-Za-z0-9_-]{16,}/g, redactionMark),
  };
}

/** A way to write a key; `least` characters of it are enough to give it away. */
interface EncodedForm {
  readonly text: string;
  readonly least: number;
}

const minCharacters = 12;

/** No service issues shorter keys, and to replace `local` or `none` would maul ordinary words. */
function isSecret(key: string): boolean {
  return key.length >= 8;
}

function encodedForms(key: string): EncodedForm[] {
  const least = Math.min(minCharacters, key.length);
  const bytes = new TextEncoder().encode(key);
  const inAddress = encodeURIComponent(new TextDecoder().decode(bytes));
  const inJson = JSON.stringify(key).slice(1, -1);
  const plain = [
    key,
    inAddress,
    inAddress.replace(/%../g, (escape) => escape.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    // As the name of a host.
    key.toLowerCase(),
  ];
  const encoded = [0, 1, 2].map((shift) => base64(bytes, shift, least));
  return [
    ...[...new Set(plain)].map((text) => ({ text, least })),
    ...encoded,
    ...encoded.map(({ text, least }) => ({ text: base64Url(text), least })),
  ];
}

/** The characters that stay the same whatever `shift` bytes stand in front, and whatever follows. */
function base64(bytes: Uint8Array, shift: number, leastBytes: number): EncodedForm {
  const padded = String.fromCharCode(...new Uint8Array(shift), ...bytes);
  const start = Math.ceil((shift * 8) / 6);
  const end = (length: number): number => Math.floor(((shift + length) * 8) / 6);
  return {
    text: btoa(padded).slice(start, end(bytes.length)),
    least: end(leastBytes) - start,
  };
}

function base64Url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

/** Where the end of the text begins that may be the beginning of the key. */
function openEnd(text: string, key: string): number {
  const [first = ''] = key;
  let start = text.indexOf(first, Math.max(0, text.length - key.length + 1));
  while (start >= 0 && !key.startsWith(text.slice(start))) start = text.indexOf(first, start + 1);
  return start < 0 ? text.length : start;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function findAll(text: string, disguises: readonly EncodedForm[]): Span[] {
  return disguises.flatMap((disguise) => find(text, disguise));
}

function find(text: string, disguise: EncodedForm): Span[] {
  const spans: Span[] = [];
  const head = disguise.text.slice(0, disguise.least);
  for (let start = text.indexOf(head); start >= 0; start = text.indexOf(head, start + 1)) {
    let length = head.length;
    while (length < disguise.text.length && text[start + length] === disguise.text[length]) {
      length++;
    }
    spans.push({ start, end: start + length });
  }
  return spans;
}

/** Replaces the spans, which may overlap. */
function cutOut(text: string, spans: readonly Span[]): string {
  let result = '';
  let position = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (end <= position) continue;
    if (start >= position) result += text.slice(position, start) + redactionMark;
    position = end;
  }
  return result + text.slice(position);
}

/**
 * Takes the known keys out of text that comes in pieces. What could be the beginning of a key is
 * held back until the next piece tells, so that a key that is cut in two is found as well.
 */
export class RedactedText {
  readonly #redactor: Redactor;
  #held = '';

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What can be shown now. */
  push(text: string): string {
    const all = this.#held + text;
    const end = this.#redactor.safePrefixLength(all);
    this.#held = all.slice(end);
    return this.#redactor.redact(all.slice(0, end));
  }

  /** What was held back, once nothing follows. */
  end(): string {
    const rest = this.#redactor.redact(this.#held);
    this.#held = '';
    return rest;
  }
}
