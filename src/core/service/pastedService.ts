import { modelKeyPrefixes } from '../support/secretTokens.ts';
import { trimEndOf } from '../support/text.ts';
import { addressProblem, bareText, parseAddress, type ServiceAddress } from './address.ts';

/** The address of a service and a key, as shown by a service's console or in a script. */
export interface PastedService {
  /** A base URL that `parseAddress` accepts, without the path of an endpoint. */
  readonly baseUrl: string;
  /** Undefined if the text has none. */
  readonly key: string | undefined;
}

/** Maximum number of characters that are searched. */
const longest = 10_000;
/** Maximum number of addresses, and of keys, that are compared. A sample has a few. */
const mostMatches = 20;

/**
 * Reads an address and a key from any text around them: lines of a console, environment variables,
 * a configuration, a curl command. The key belongs to the address with its name (`X_API_KEY` and
 * `X_BASE_URL`), otherwise to the nearest one that isn't a web page. Undefined without a valid
 * address, and where several hosts could be meant.
 */
export function readPastedService(text: string): PastedService | undefined {
  const searched = text.slice(0, longest);
  const typed = bareText(searched);
  if (!/\s/.test(typed) && addressProblem(typed) === undefined)
    return { baseUrl: parseAddress(typed).baseUrl, key: undefined };
  const addresses = uncommented(searched, addressesIn(searched));
  const keys = uncommented(searched, keysIn(searched));
  const pairs = keys.map((key) => pairOf(searched, addresses, key));
  const closest = Math.min(...pairs.map(({ distance }) => distance));
  const best = pairs.filter(({ distance }) => distance === closest);
  const matches = best.length > 0 ? best.map(({ address }) => address) : [theOne(addresses)];
  const known = matches.flatMap((address) => address ?? []);
  const address = known.length === matches.length ? theOne(known) : undefined;
  if (address === undefined) return undefined;
  const values = new Set(best.map(({ key }) => key.value));
  return { baseUrl: address.baseUrl, key: values.size === 1 ? [...values][0] : undefined };
}

/**
 * Reads a text that was probably copied in order to connect: it contains a key, or is just the base
 * URL of an API. Any other address in the clipboard is just a web page.
 */
export function readCopiedService(text: string): PastedService | undefined {
  const service = readPastedService(text);
  if (service === undefined || service.key !== undefined) return service;
  const isAlone = !/\s/.test(text.trim());
  return isAlone && /\/v\d[^/]*$/.test(service.baseUrl) ? service : undefined;
}

interface PastedAddress extends ServiceAddress {
  readonly at: number;
  /** True if the text calls it a base URL. */
  readonly isNamed: boolean;
  /** True for a path or host that APIs have. */
  readonly isApi: boolean;
  /** Like that of a key: `openai` for `OPENAI_BASE_URL`. */
  readonly owner: string;
}

const baseName =
  /(?:base[ _-]?(?:url|uri|path|address)|api[ _-]?(?:base|url|host|address|root)|endpoint)$/i;
const usualWords =
  /[_-]?(?:api)?[_-]?(?:base)?[_-]?(?:base|url|uri|path|host|address|root|endpoint)$/i;
/** Names of addresses that no request goes to. */
const otherName =
  /(?:referer|site[ _-]?url|image[ _-]?url|proxy|schema|home ?page|redirect\w{0,40})$/i;

const apiAddress =
  /^https?:\/\/(?:[^/]*\bapi\b[^/]*|localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)|\/(?:v\d[\w.]*|api|openai|completions)(?:\/|$)/i;
/** Hosts and paths of consoles, documents and files. */
const pageAddress =
  /^https?:\/\/(?:console|docs?|dashboard|help|support|status|blog|learn|github)\.|^https?:\/\/(?:platform|www|app|portal)\.(?!.*\/v\d)|\/(?:docs?|documentation|(?:api[-_]?)?keys|tokens|console|dashboard|settings|account|billing|pricing|log-?in|sign-?(?:up|in)|register|guides?|reference)(?:\/|$)|\.[a-z]{2,5}$(?<=\/\/[^/]+\/.*)/i;
/** Parts that the reader is meant to replace. */
const placeholder = /[${*]|^https?:\/\/[^/]*\b(?:your|x{3,})\b/i;

function addressesIn(text: string): readonly PastedAddress[] {
  const matches = text.matchAll(/https?:\/\/[^\s"'`<>,;|\\)}\]“”‘’、。，；：）】」]+/g);
  const all = [...matches].flatMap(({ 0: match, index: at }): readonly PastedAddress[] => {
    const written = trimEndOf(match, '.:!?*_/');
    if (placeholder.test(written) || addressProblem(written) !== undefined) return [];
    const before = trimEndOf(text.slice(Math.max(0, at - 100), at), ' \t"\'`:=：>*([<');
    const isNamed = baseName.test(before);
    const isPage = otherName.test(before) || pageAddress.test(written);
    if (isPage && !isNamed) return [];
    const name = isNamed ? (before.split(/[^\w-]/).at(-1) ?? '') : '';
    const owner = name.replace(usualWords, '').toLowerCase();
    const isApi = isNamed || apiAddress.test(written);
    return [{ ...parseAddress(written), at, isNamed, isApi, owner }];
  });
  const apis = all.filter(({ isApi }) => isApi);
  return apis.length > 0 ? apis : all;
}

/** The items outside of comments; all if there are no others. */
function uncommented<Item extends { readonly at: number }>(
  text: string,
  items: readonly Item[],
): readonly Item[] {
  const active = items.slice(0, mostMatches).filter(({ at }) => {
    const start = text.lastIndexOf('\n', at - 1) + 1;
    return !/^\s*(?:#|\/\/|--|;|<!--)/.test(text.slice(start, at));
  });
  return active.length > 0 ? active : items.slice(0, mostMatches);
}

/** The address of one host; undefined if there are several, or none. */
function theOne(addresses: readonly PastedAddress[]): PastedAddress | undefined {
  if (new Set(addresses.map(({ origin }) => origin)).size !== 1) return undefined;
  const hasVersion = ({ baseUrl }: PastedAddress): boolean => /\/v\d[^/]*$/.test(baseUrl);
  return addresses.find(({ isNamed }) => isNamed) ?? addresses.find(hasVersion) ?? addresses[0];
}

interface Pair {
  readonly key: PastedKey;
  /** Undefined if several hosts are as near. */
  readonly address: PastedAddress | undefined;
  readonly distance: number;
}

/** The address of a key: that of its name, line, neighboring lines, paragraph or text. */
function pairOf(text: string, addresses: readonly PastedAddress[], key: PastedKey): Pair {
  const distanceOf = ({ at, owner }: PastedAddress): number => {
    if (owner !== '' && owner === key.owner) return 0;
    const between = text.slice(Math.min(at, key.at), Math.max(at, key.at));
    const lines = between.split('\n').length;
    return lines <= 2 ? lines : /\n\s*\n/.test(between) ? 4 : 3;
  };
  const measured = addresses.map((address) => ({ address, distance: distanceOf(address) }));
  const distance = Math.min(...measured.map((candidate) => candidate.distance));
  const nearest = measured
    .flatMap((candidate) => (candidate.distance === distance ? candidate.address : []))
    .toSorted((first, second) => Math.abs(first.at - key.at) - Math.abs(second.at - key.at));
  const [first] = nearest;
  // Where lines were joined by the box that they were pasted into, the name of the address tells.
  const isTold = first?.isNamed === true && nearest.filter(({ isNamed }) => isNamed).length === 1;
  return { key, distance, address: theOne(nearest) ?? (isTold ? first : undefined) };
}

/** A key in a pasted text. */
interface PastedKey {
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
const namedValue =
  /(?<![\w-])([\w-]{1,80})["'`*\]]{0,3}(?:[ \t]{0,3}(?:=>|:=|[:=：])|[ \t]{1,3}is\b|[ \t]{1,3}(?=["'])|(?<=--[\w-]{1,80})(?= ))[ \t]{0,3}(?:bearer[ \t]{1,3})?/gi;
const bearer = /\bbearer[ \t]{1,3}/gi;

/** Names that only a key of a service has, and names that other secrets have too. */
const sureNameOfKey = /(?:api|access|auth|bearer)[_-]?(?:key|token)$/i;
const otherNameOfKey = /(?:^|[_-])(?:key|token|secret)$|[a-z](?:Key|Token|Secret)$/i;
const wordsOfKeys = /[_-]?(?:api|access|auth|bearer)?[_-]?(?:key|token|secret)$/i;

/**
 * The keys of a text: values that begin like one, or that a name or `Bearer` announces. A variable,
 * code and a placeholder are none. Values with a name that other secrets have too (`token = …`)
 * count only where no better one is.
 */
function keysIn(text: string): readonly PastedKey[] {
  const names = [...text.matchAll(namedValue)].map(({ 0: whole, 1: name = '', index }) => ({
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
      const owner = name.replace(wordsOfKeys, '').toLowerCase();
      if (isKey(written, key)) keys.set(at, { value: key, at, owner });
    }
    return [...keys.values()];
  };
  const sure = read([...ends((name) => sureNameOfKey.test(name)), ...announced, ...begun]);
  return sure.length > 0 ? sure : read(ends((name) => otherNameOfKey.test(name)));
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
