import { requestBody } from '../service/requestExtras.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { escapeJson } from '../support/text.ts';

/** The placeholder for the API key. */
const key = '‹key›';

/**
 * A request for a person to read: JSON with comments, and the curl command that sends it. Invisible
 * characters are written as escapes of JSON, so that it stays the same request.
 * @param address of the service, up to and including its version
 * @param extraHeaders that the settings of the model add
 */
export function requestText(
  request: CompletionRequest,
  address: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  const body = requestBody(request);
  const headers = Object.entries(extraHeaders).map(([name, value]) => `${name}: ${value}`);
  return [
    `// POST ${address}/chat/completions`,
    ...headers.map((header) => `// ${header}`),
    escapeJson(JSON.stringify(body, undefined, 2)),
    '',
    `// ${curlLine(body, address, headers)}`,
    '',
  ].join('\n');
}

/** For a POSIX shell: in single quotes nothing means anything but the quote itself. */
function curlLine(body: object, address: string, headers: readonly string[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    ...headers.map((header) => `--header ${quoted(header)}`),
    `--data-raw ${quoted(escapeJson(JSON.stringify(body)))}`,
  ].join(' ');
}
