import type { CompletionRequest } from '../service/wire.ts';

/** What stands where the key would. */
const key = '‹key›';

/**
 * A request as a person reads it: JSON with comments, with the line that sends it with curl.
 *
 * @param address of the service, up to and including its version
 */
export function requestText(request: CompletionRequest, address: string): string {
  const json = visible(JSON.stringify(request, undefined, 2));
  return `// POST ${address}/chat/completions\n${json}\n\n// ${curlLine(request, address)}\n`;
}

/** For a POSIX shell: in single quotes nothing means anything but the quote itself. */
function curlLine(request: CompletionRequest, address: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    `--data-raw ${quoted(visible(JSON.stringify(request)))}`,
  ].join(' ');
}

/** What nobody sees in JSON, in the escapes of JSON: it stays the same request. */
function visible(json: string): string {
  return json.replace(/[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16);
      return `\\u${code.padStart(4, '0')}`;
    }).join(''),
  );
}
