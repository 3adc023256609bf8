import { isObject, nonEmptyString, writeJson, type JsonObject } from '../support/json.ts';
import { readErrorObject, type ErrorReport } from './errorBody.ts';

/** A report, such as an error, within a successful response. */
export interface ChunkReport {
  readonly report: ErrorReport;
  /** True if it is labeled as an error, or looks like one, with details or an error code. */
  readonly isError: boolean;
  /**
   * True if it is labeled as an error. Otherwise it counts as an error only if the reply doesn't
   * continue.
   */
  readonly isNamed: boolean;
}

/**
 * Finds the report in a chunk without a choice, or in a whole body, which may be a list with one;
 * undefined if it has no text. Services send many kinds of objects here: usage, filters,
 * heartbeats.
 */
export function reportIn(value: unknown): ChunkReport | undefined {
  if (Array.isArray(value)) return reportIn(value.find(isObject));
  return isObject(value) ? reportInObject(value) : undefined;
}

function reportInObject(value: JsonObject): ChunkReport | undefined {
  const isNamed = isNamedError(value);
  const report = readErrorObject(value) ?? (isNamed ? quote(value) : undefined);
  if (report === undefined) return undefined;
  return { report, isNamed, isError: isNamed || isError(value, report) };
}

/** True if a field labels an error. Some services send the field, empty, with every chunk. */
function isNamedError(value: JsonObject): boolean {
  const groq = value['x_groq'];
  const errors = [value['error'], value['errors'], isObject(groq) ? groq['error'] : undefined];
  if (errors.some(isFilled)) return true;
  // Names of AWS: `modelStreamErrorException`.
  if (Object.keys(value).some((key) => isObject(value[key]) && key.endsWith('Exception')))
    return true;
  return value['object'] === 'error' || value['type'] === 'error' || value['status'] === 'error';
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);
}

/** True if it looks like an error without a label: with details, or with an error code. */
function isError(value: JsonObject, { code }: ErrorReport): boolean {
  if (value['usage'] !== undefined && value['usage'] !== null) return false;
  if (typeof code === 'number') return code < 0 || code >= 400 || (code > 0 && code < 100);
  if (code !== undefined) return !successes.has(code.toLowerCase());
  return nonEmptyString(value['detail']) !== undefined || Array.isArray(value['detail']);
}

/** True if the name of an event says that something went wrong: `error`, `response.failed`. */
export function isErrorEvent(name: string | undefined): boolean {
  return name !== undefined && errorEvent.test(name.slice(-maxNameLength));
}

const maxNameLength = 64;
const errorEvent = /(?:^|[._-])(?:errors?|exception|fail|failed|failure|fault|abort|aborted)$/i;

/** Codes that services send where nothing is wrong. */
const successes: ReadonlySet<string> = new Set(['0', '200', 'ok', 'success']);

function quote(value: JsonObject): ErrorReport {
  const message = writeJson(value).slice(0, 300);
  return { message, code: undefined, type: undefined, parameter: undefined, isPage: false };
}
