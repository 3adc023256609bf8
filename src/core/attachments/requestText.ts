import type { CompletionRequest } from '../service/wire.ts';

/** Placeholder for the API key. */
const key = '‹key›';

/**
 * Formats a request for display: JSON with comments, and the curl command that sends it.
 *
 * @param address of the service, up to and including its version
 */
export function requestText(request: CompletionRequest, address: string): string {
  const json = escapeInvisible(JSON.stringify(request, undefined, 2));
  return `// POST ${address}/chat/completions\n${json}\n\n// ${curlLine(request, address)}\n`;
}

/** For a POSIX shell, where only the quote itself is special within single quotes. */
function curlLine(request: CompletionRequest, address: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    `--data-raw ${quoted(escapeInvisible(JSON.stringify(request)))}`,
  ].join(' ');
}

/** Replaces invisible characters with JSON escapes, which keeps the request the same. */
function escapeInvisible(json: string): string {
  return json.replace(/[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16);
      return `\\u${code.padStart(4, '0')}`;
    }).join(''),
  );
}
