import { isObject, nonEmpty, parseJson } from '../support/json.ts';

/** What a service said about an error. The shape is not part of the interface (section 7). */
export interface ErrorReport {
  readonly message: string;
  readonly code: string | number | undefined;
}

/** How much of a body is quoted where it holds no message. */
const quotedLength = 300;

/**
 * Finds the message in an error body: `error` as an object or a string, `message`, `detail` (a
 * string or a list with `msg`), `errors`; else the text itself, a page by its title. Empty for an
 * empty body.
 */
export function readErrorBody(body: string): ErrorReport {
  const report = readErrorObject(parseJson(body));
  if (report !== undefined) return { ...report, message: clip(report.message) };
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  return { message: clip(title ?? body), code: undefined };
}

/** The error in a parsed body or stream event; undefined where it holds none. */
export function readErrorObject(value: unknown): ErrorReport | undefined {
  if (Array.isArray(value)) return value.map(readErrorObject).find((found) => found !== undefined);
  if (!isObject(value)) return undefined;
  const error = value['error'];
  if (typeof error === 'string') return { message: error, code: readCode(value['code']) };
  if (isObject(error)) return readInner(error);
  if (value['object'] === 'error' || value['choices'] === undefined) return readMessage(value);
  return undefined;
}

function readInner(error: Readonly<Record<string, unknown>>): ErrorReport {
  const nested = isObject(error['error']) ? readMessage(error['error']) : undefined;
  const report = readMessage(error) ?? nested;
  return report ?? { message: clip(JSON.stringify(error)), code: readCode(error['code']) };
}

function readMessage(value: Readonly<Record<string, unknown>>): ErrorReport | undefined {
  const message =
    nonEmpty(value['message']) ?? readDetail(value['detail']) ?? readDetail(value['errors']);
  return message === undefined ? undefined : { message, code: readCode(value['code']) };
}

function readDetail(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return nonEmpty(detail);
  const found: unknown = detail[0];
  if (!isObject(found)) return nonEmpty(found);
  return nonEmpty(found['msg']) ?? nonEmpty(found['message']);
}

function readCode(code: unknown): string | number | undefined {
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** One line without control characters, of a length that fits a message. */
function clip(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > quotedLength ? `${line.slice(0, quotedLength)}…` : line;
}
