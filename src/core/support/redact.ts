/** A part of a key that is this long is redacted too. */
const minCharacters = 12;

/** Replaces a secret in all redacted text. */
export const redactionMark = '‹key›';

/** Removes API keys from text before it is shown, logged, stored or sent. */
export interface Redactor {
  readonly setKeys: (keys: Iterable<string>) => void;
  /**
   * Redaction for all sinks: removes only known keys, so that text by a person or a model is
   * otherwise unchanged.
   */
  readonly redact: (text: string) => string;
  /**
   * Length, in UTF-16 units, of the prefix that is safe to release: the text after it may be the
   * start of a key that continues in later text.
   */
  readonly safePrefixLength: (text: string) => number;
  /**
   * Redaction for logs and error messages: also removes every part of a known key in any spelling,
   * and everything that looks like a key or an `Authorization` header.
   */
  readonly redactError: (text: string) => string;
}

/**
 * Creates a redactor. It finds a known key as it is, in lower case, as base64 at any alignment,
 * URL-encoded and escaped in JSON, and every prefix of these that reveals 12 or more characters of
 * the key.
 */
export function createRedactor(): Redactor {
  let forms: readonly EncodedForm[] = [];
  let parts: readonly KeyParts[] = [];
  const redact = (text: string): string => replaceSpans(text, findAll(text, forms));
  return {
    setKeys(keys) {
      const secrets = [...new Set(keys)].filter((key) => key.length >= 8);
      forms = secrets.flatMap(encodedForms);
      parts = secrets.flatMap((key) => {
        const bytes = new TextEncoder().encode(key);
        const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
        return [keyParts(key), keyParts(hex)];
      });
    },
    redact,
    safePrefixLength: (text) =>
      Math.min(text.length, ...forms.map((form) => partialKeyStart(text, form.text))),
    redactError: (text) =>
      replaceSpans(text, [...findAll(text, forms), ...findParts(text, parts)])
        .replace(/\b(Bearer)\s+[^\s‹]\S{7,}/gi, `$1 ${redactionMark}`)
        .replace(/\bsk-[A-Za-z0-9_-]{16,}/g, redactionMark),
  };
}

/** One encoding of a key; `minLength` characters of it are enough to reveal it. */
interface EncodedForm {
  readonly text: string;
  readonly minLength: number;
}

function encodedForms(key: string): EncodedForm[] {
  const minLength = Math.min(minCharacters, key.length);
  const bytes = new TextEncoder().encode(key);
  const inAddress = encodeURIComponent(new TextDecoder().decode(bytes));
  const inJson = JSON.stringify(key).slice(1, -1);
  const plain = [
    key,
    inAddress,
    inAddress.replace(/%../g, (escape) => escape.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    // Host names are lower case.
    key.toLowerCase(),
  ];
  const encoded = [0, 1, 2].map((shift) => base64(bytes, shift, minLength));
  return [
    ...[...new Set(plain)].map((text) => ({ text, minLength })),
    ...encoded,
    ...encoded.map(({ text, minLength }) => ({
      text: text.replaceAll('+', '-').replaceAll('/', '_'),
      minLength,
    })),
  ];
}

/**
 * The base64 characters that depend only on the key, for any `shift` bytes before it and any bytes
 * after it.
 */
function base64(bytes: Uint8Array, shift: number, minBytes: number): EncodedForm {
  const padded = String.fromCharCode(...new Uint8Array(shift), ...bytes);
  const start = Math.ceil((shift * 8) / 6);
  const end = (length: number): number => Math.floor(((shift + length) * 8) / 6);
  return {
    text: btoa(padded).slice(start, end(bytes.length)),
    minLength: end(minBytes) - start,
  };
}

/**
 * The start of the longest suffix of the text that is a prefix of the key; the length of the text
 * if there is none.
 */
function partialKeyStart(text: string, key: string): number {
  const [first = ''] = key;
  let start = text.indexOf(first, Math.max(0, text.length - key.length + 1));
  while (start >= 0 && !key.startsWith(text.slice(start))) start = text.indexOf(first, start + 1);
  return start < 0 ? text.length : start;
}

/** Parts of one length of a key that each reveal some of it, as {@link plainLetters} has them. */
interface KeyParts {
  readonly length: number;
  readonly texts: ReadonlySet<string>;
}

function keyParts(key: string): KeyParts {
  const { letters } = plainLetters(key);
  const length = Math.min(minCharacters, letters.length);
  const starts = Array.from({ length: letters.length - length + 1 }, (_, start) => start);
  return { length, texts: new Set(starts.map((start) => letters.slice(start, start + length))) };
}

/**
 * The letters and digits of a text in one case, without separators, and their positions in the
 * text.
 */
function plainLetters(text: string): { readonly letters: string; readonly spans: readonly Span[] } {
  let letters = '';
  const spans: Span[] = [];
  for (const { 0: character, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const plain = character.normalize('NFKC').toLowerCase();
    letters += plain;
    const span = { start: index, end: index + character.length };
    for (let count = 0; count < plain.length; count += 1) spans.push(span);
  }
  return { letters, spans };
}

function findParts(text: string, parts: readonly KeyParts[]): Span[] {
  if (parts.length === 0) return [];
  const { letters, spans } = plainLetters(text);
  return parts.flatMap(({ length, texts }) => {
    // Fewer would damage ordinary text.
    if (length < minLetters) return [];
    return spans.flatMap(({ start }, index) => {
      const end = spans[index + length - 1]?.end;
      const isPart = end !== undefined && texts.has(letters.slice(index, index + length));
      return isPart ? [{ start, end }] : [];
    });
  });
}

/** Letters and digits of a key without which its parts aren't looked for. */
const minLetters = 8;

interface Span {
  readonly start: number;
  readonly end: number;
}

function findAll(text: string, forms: readonly EncodedForm[]): Span[] {
  const spans: Span[] = [];
  for (const form of forms) {
    const head = form.text.slice(0, form.minLength);
    for (let start = text.indexOf(head); start >= 0; start = text.indexOf(head, start + 1)) {
      let length = head.length;
      while (length < form.text.length && text[start + length] === form.text[length]) length++;
      spans.push({ start, end: start + length });
    }
  }
  return spans;
}

/** Replaces the spans, which may overlap, with the redaction mark. */
function replaceSpans(text: string, spans: readonly Span[]): string {
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
 * Redacts text that arrives in pieces. A suffix that may be the start of a key is held back until
 * the next piece, so that keys split across pieces are found.
 */
export class RedactedText {
  readonly #redactor: Redactor;
  #held = '';

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds a piece and returns the redacted text that can be shown so far. */
  push(text: string): string {
    const all = this.#held + text;
    const end = this.#redactor.safePrefixLength(all);
    this.#held = all.slice(end);
    return this.#redactor.redact(all.slice(0, end));
  }

  /** Returns the redacted remainder; call it when no more text follows. */
  end(): string {
    const remainder = this.#redactor.redact(this.#held);
    this.#held = '';
    return remainder;
  }
}
