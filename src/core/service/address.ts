import { ServiceError } from './errors.ts';

/** Where a service is. */
export interface ServiceAddress {
  /** Up to and including the version segment, without a slash at the end. */
  readonly baseUrl: string;
  /** What a key is bound to, for example `https://api.example.com`. */
  readonly origin: string;
  /** Host and port, to be shown. */
  readonly host: string;
}

/** Why a text is no address that Aside would send a key to. */
export type AddressProblem = 'not-a-url' | 'insecure' | 'credentials' | 'query';

/** Tells what is wrong with an address, or undefined where {@link parseAddress} takes it. */
export function addressProblem(text: string): AddressProblem | undefined {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'not-a-url';
  if (url.hostname === '') return 'not-a-url';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'insecure';
  if (url.username !== '' || url.password !== '') return 'credentials';
  if (url.search !== '' || url.hash !== '') return 'query';
  return undefined;
}

/**
 * Reads a base URL as a person pastes it: white space, a slash at the end and the path of an
 * endpoint (`/chat/completions`, `/models`) are taken off.
 *
 * @throws ServiceError `invalid-address` for everything that {@link addressProblem} names.
 */
export function parseAddress(text: string): ServiceAddress {
  const problem = addressProblem(text);
  const url = URL.parse(text.trim());
  if (problem !== undefined || url === null) {
    throw new ServiceError('invalid-address', `No usable address: ${problem ?? 'not-a-url'}`);
  }
  const path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|models)$/, '')
    .replace(/\/+$/, '');
  return { baseUrl: url.origin + path, origin: url.origin, host: url.host };
}

/** Whether a host name, as `URL` writes it, can only be this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
