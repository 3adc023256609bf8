import type { CompletionRequest } from '../service/wire.ts';
import { escapeJson } from '../support/text.ts';

/** The placeholder for the API key. */
const key = '‹key›';

/**
 * A request for a person to read: JSON with comments, and the curl command that sends it. Invisible
 * characters are written as escapes of JSON, so that it stays the same request.
 * @param address of the service, up to and including its version
 */
export function requestText(request: CompletionRequest, address: string): string {
  const json = escapeJson(JSON.stringify(request, undefined, 2));
  return `// POST ${address}/chat/completions\n${json}\n\n// ${curlLine(request, address)}\n`;
}

/** For a POSIX shell: in single quotes nothing means anything but the quote itself. */
function curlLine(request: CompletionRequest, address: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    `--data-raw ${quoted(escapeJson(JSON.stringify(request)))}`,
  ].join(' ');
}
