import { requestBody } from '../service/requestExtras.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { escapeJson } from '../support/text.ts';

/** The placeholder for the API key. */
const key = '‹key›';

/**
 * Formats a request for reading: JSON with comments, and the curl command that sends it. Invisible
 * characters are JSON escapes, so that it is the same request.
 *
 * @param address of the service, including its version
 * @param extraHeaders from the settings of the model
 */
export function requestText(
  request: CompletionRequest,
  address: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  const headers = Object.entries(extraHeaders).map(([name, value]) => `// ${name}: ${value}`);
  return [
    `// POST ${address}/chat/completions`,
    ...headers,
    requestJson(request),
    '',
    `// ${requestCurl(request, address, extraHeaders)}`,
    '',
  ].join('\n');
}

/** Formats the body of a request for reading, without binary data. */
export function requestJson(request: CompletionRequest): string {
  return escapeJson(JSON.stringify(requestBody(request), undefined, 2));
}

/** The command that sends a request, for a POSIX shell, with a placeholder for the key. */
export function requestCurl(
  request: CompletionRequest,
  address: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  // Within single quotes, a shell interprets nothing but the quote itself.
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers = Object.entries(extraHeaders).map(([name, value]) => `${name}: ${value}`);
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    ...headers.map((header) => `--header ${quoted(header)}`),
    `--data-raw ${quoted(escapeJson(JSON.stringify(requestBody(request))))}`,
  ].join(' ');
}
