import { addressProblem, parseAddress } from './address.ts';

/** The address of a service and a key, as shown by a service's console or in a script. */
export interface PastedService {
  /** A base URL that `parseAddress` accepts, without the path of an endpoint. */
  readonly baseUrl: string;
  /** Undefined if the text has none. */
  readonly key: string | undefined;
}

/** Maximum number of characters that are searched. */
const longest = 10_000;

const keyPatterns = [
  /(?<![\w-])sk-[\w-]{8,}/,
  /api[_-]?key["'`]?\s*[:=]\s*["'`]?([^\s"'`,;]{8,})/i,
  /\bbearer\s+([^\s"'`,;]{8,})/i,
];

/**
 * Reads an address and a key from any text around them: lines of a console, environment variables,
 * a configuration, a curl command. Undefined without a valid address.
 */
export function readPastedService(text: string): PastedService | undefined {
  const searched = text.slice(0, longest);
  const addresses = searched.match(/https?:\/\/[^\s"'`<>,;\\)}\]]+/g) ?? [];
  const address = addresses.find((candidate) => addressProblem(candidate) === undefined);
  if (address === undefined) return undefined;
  const [match] = keyPatterns.flatMap((pattern) => {
    const [whole, value = whole] = pattern.exec(searched) ?? [];
    return value === undefined ? [] : [value];
  });
  return { baseUrl: parseAddress(address).baseUrl, key: match };
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
