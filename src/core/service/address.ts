import { trimEndOf } from '../support/text.ts';
import { ServiceError } from './errors.ts';

/** The parsed base URL of a service. */
export interface ServiceAddress {
  /** Up to and including the version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** The origin that a key is bound to, for example `https://api.example.com`. */
  readonly origin: string;
  readonly host: string;
}

/** The host of the demo, which no network knows. */
export const demoHost = 'demo.invalid';

/** The reason why Aside does not accept a text as the address of a service. */
export type AddressProblem = 'not-a-url' | 'insecure' | 'credentials' | 'query';

/** Returns the problem with an address, or undefined if {@link parseAddress} accepts it. */
export function addressProblem(text: string): AddressProblem | undefined {
  const url = URL.parse(bareText(text));
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'not-a-url';
  // `https://https://…` is an address that was pasted behind an existing scheme.
  if (url.hostname === '' || /^https?$/.test(url.hostname)) return 'not-a-url';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'insecure';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.search !== '' || url.hash !== '') return 'query';
  return undefined;
}

/**
 * Parses a base URL as a person pastes it: surrounding white space and quotation marks, a
 * trailing slash and the path of an endpoint (`/chat/completions`, `/models`) are removed.
 *
 * @throws ServiceError `invalid-address` for every problem that {@link addressProblem} reports
 */
export function parseAddress(text: string): ServiceAddress {
  const problem = addressProblem(text);
  const url = URL.parse(bareText(text));
  if (problem !== undefined || url === null) {
    throw new ServiceError('invalid-address', `No usable address: ${problem ?? 'not-a-url'}`);
  }
  const path = trimEndOf(url.pathname, '/').replace(
    /\/(?:(?:chat\/)?completions|embeddings|models|responses)$/i,
    '',
  );
  return { baseUrl: url.origin + trimEndOf(path, '/'), origin: url.origin, host: url.host };
}

/**
 * Adds the scheme that a person left out: `http://` for a service on this machine, else `https://`.
 * Other texts, among them single words, stay as they are.
 */
export function completeAddress(text: string): string {
  const typed = bareText(text);
  const [host = ''] = typed.split(/[/?#]/, 1);
  const isHost = /[.:\]]/.test(host) || host.toLowerCase() === 'localhost';
  if (!isHost || typed.includes('://') || addressProblem(typed) !== 'not-a-url') return typed;
  const url = URL.parse(`https://${typed}`);
  return `${url !== null && isLoopback(url.hostname) ? 'http' : 'https'}://${typed}`;
}

/** The address with the usual version segment; undefined if it has a version. */
export function withVersion(address: ServiceAddress): ServiceAddress | undefined {
  const { baseUrl } = address;
  return /\/v\d[^/]*$/.test(baseUrl) ? undefined : { ...address, baseUrl: `${baseUrl}/v1` };
}

/** White space, quotation marks and invisible characters around a pasted address. */
const wrapping = /[\s"'`<>“”‘’«»\u200b-\u200f\u2060\ufeff]/;

/** Removes {@link wrapping} around a pasted text. */
export function bareText(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && wrapping.test(text.charAt(start))) start++;
  while (
    end > start &&
    (wrapping.test(text.charAt(end - 1)) || ',;'.includes(text.charAt(end - 1)))
  )
    end--;
  return text.slice(start, end);
}

/** True if a host name, as normalized by `URL`, is a loopback address. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
