import { modelKeyPrefixes } from '../support/secretTokens.ts';
import { trimEndOf } from '../support/text.ts';

/** A key in a pasted text. */
export interface PastedKey {
  readonly value: string;
  /** Where the key begins. */
  readonly at: number;
  /** What its name has before the usual words: `openai` for `OPENAI_API_KEY`; empty without. */
  readonly owner: string;
}

/** Beginnings by which keys of services are recognized without a name. */
const knownBeginning = new RegExp(
  String.raw`(?<![\w-])(?=(?:${[...modelKeyPrefixes, 'hf_', 'fw_', 'AIza'].join('|')})\S)`,
  'g',
);

/** Everything up to a character that ends a value in prose, code and configurations. */
const value = /["'`*]{0,3}([^\s"'`,;<>)\]}\\&“”‘’、。，；：）】」]+)/y;

/** A name and what follows it before a value on the same line; a space before quotes or after a flag. */
const named =
  /(?<![\w-])([\w-]{1,80})["'`*\]]{0,3}(?:[ \t]{0,3}(?:=>|:=|[:=：])|[ \t]{1,3}is\b|[ \t]{1,3}(?=["'])|(?<=--[\w-]{1,80})(?= ))[ \t]{0,3}(?:bearer[ \t]{1,3})?/gi;
const bearer = /\bbearer[ \t]{1,3}/gi;

/** Names that only a key of a service has, and names that other secrets have too. */
const sureName = /(?:api|access|auth|bearer)[_-]?(?:key|token)$/i;
const otherName = /(?:^|[_-])(?:key|token|secret)$|[a-z](?:Key|Token|Secret)$/i;
const usualWords = /[_-]?(?:api|access|auth|bearer)?[_-]?(?:key|token|secret)$/i;

/**
 * The keys of a text: values that begin like one, or that a name or `Bearer` announces. A variable,
 * code and a placeholder are none. Values with a name that other secrets have too (`token = …`)
 * count only where no better one is.
 */
export function keysIn(text: string): readonly PastedKey[] {
  const names = [...text.matchAll(named)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    end: index + whole.length,
  }));
  const begun = [...text.matchAll(knownBeginning)].map(({ index }) => index);
  const announced = [...text.matchAll(bearer)].map(({ 0: word, index }) => index + word.length);
  const ends = (isNamed: (name: string) => boolean): readonly number[] =>
    names.flatMap(({ name, end }) => (isNamed(name) ? end : []));
  const read = (starts: readonly number[]): readonly PastedKey[] => {
    const keys = new Map<number, PastedKey>();
    for (const start of starts) {
      value.lastIndex = start;
      const [whole = '', written = ''] = value.exec(text) ?? [];
      const at = start + whole.length - written.length;
      const key = trimEndOf(written, '.:!?*|');
      const name = names.find(({ end }) => end <= at && at <= end + 3)?.name ?? '';
      const owner = name.replace(usualWords, '').toLowerCase();
      if (isKey(written, key)) keys.set(at, { value: key, at, owner });
    }
    return [...keys.values()];
  };
  const sure = read([...ends((name) => sureName.test(name)), ...announced, ...begun]);
  return sure.length > 0 ? sure : read(ends((name) => otherName.test(name)));
}

/** The fewest characters of a key: services on one's own machine have short ones, as `sk-1234`. */
const fewest = 6;

/** Words that stand where a key belongs. */
const placeholderWord =
  /^(?:your?|here|example|placeholder|change(?:me|it)?|replace(?:me)?|insert|paste|dummy|redacted|x{3,})$/i;

/** Words of which names of variables and placeholders consist, together with other words. */
const nameWord =
  /^(?:api|keys?|apikeys?|tokens?|secrets?|passwords?|credentials?|values?|none|null|undefined|empty|needed|required|unused)$/i;

/** A word or a small number, as in names and placeholders: `API`, `Key`, `v1`. */
const plainWord = /^(?:[A-Za-z]?[a-z]{1,13}|[A-Z]{1,14}|v?\d{1,2})$/;

function isKey(written: string, key: string): boolean {
  // A key that a console or a document shortens: `sk-a1b2…`, `sk-a1b2***`.
  if (/\.\.|[…•]|\*{3}/.test(written)) return false;
  // Code, a variable or another assignment has other characters: `$KEY`, `os.getenv(`, `NAME=`.
  if (key.length < fewest || !/^[\w.:/+|~-]+=*$/.test(key) || key.includes('://')) return false;
  // A field of an object (`process.env.KEY2`), a number, and characters that only fill a place.
  if (/^[A-Za-z_]+\.|^\d+$|(.)\1{5}|x{4}/i.test(key)) return false;
  const words = key.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word !== '');
  if (words.some((word) => placeholderWord.test(word))) return false;
  // Names are words only. So are a few keys of services on one's own machine: `sk-local-demo`.
  if (!words.every((word) => plainWord.test(word))) return true;
  return words.length > 1 && !words.some((word) => nameWord.test(word));
}
