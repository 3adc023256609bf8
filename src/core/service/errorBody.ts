import {
  isObject,
  nonEmptyString,
  parseJson,
  parsePartialJson,
  writeJson,
  type JsonObject,
} from '../support/json.ts';
import { plainLine, truncateGraphemes } from '../support/text.ts';

/**
 * An error as reported by a service. The format is not part of the interface (docs/service.md 7).
 */
export interface ErrorReport {
  /** Text on one line, at most 300 characters and `…`; empty if there is nothing to quote. */
  readonly message: string;
  readonly code: string | number | undefined;
  /** The error class that some services send with, or instead of, a code. */
  readonly type: string | undefined;
  readonly parameter: string | undefined;
  /** True for an HTML page, which a proxy or another server wrote. */
  readonly isPage: boolean;
}

/** Maximum length of an error message that is quoted from a body, in characters. */
const quotedLength = 300;

/** Maximum number of characters of a text to search; JSON may be longer. */
const maxTextLength = 64 * 1024;

/** Maximum nesting of errors, list entries and fields to read. */
const maxLevels = 8;
const maxEntries = 16;
const maxFields = 32;
/** Remaining levels required to read fields with other names, which limits them to the top. */
const minLevels = maxLevels - 4;

type Holding =
  /** Text to show, unless it is JSON. */
  | 'words'
  /** Another error, or a list of errors. */
  | 'report'
  /** Errors keyed by parameter. */
  | 'reports by name';

/** Paths of the fields that describe an error, most specific first. */
export const errorShapes: readonly (readonly [path: string, holds: Holding])[] = [
  // A gateway quotes the provider behind it.
  ['metadata.raw', 'words'],
  ['metadata.raw', 'report'],
  ['error', 'report'],
  ['message', 'words'],
  ['msg', 'words'],
  ['error_description', 'words'],
  ['error_message', 'words'],
  ['error_msg', 'words'],
  ['errorMessage', 'words'],
  ['Message', 'words'],
  ['status_msg', 'words'],
  ['faultstring', 'words'],
  ['detail', 'words'],
  ['details', 'words'],
  ['error', 'words'],
  ['detail', 'report'],
  ['details', 'report'],
  ['errors', 'report'],
  ['message', 'report'],
  ['errors', 'words'],
  ['errors', 'reports by name'],
  ['Error', 'report'],
  ['Response', 'report'],
  ['ResponseMetadata', 'report'],
  ['fault', 'report'],
  ['base_resp', 'report'],
  ['header', 'report'],
  ['x_groq', 'report'],
  ['choices', 'report'],
  ['description', 'words'],
  ['reason', 'words'],
  ['err', 'words'],
  ['title', 'words'],
];

const shapes = errorShapes.map(([path, holds]) => ({ path: path.split('.'), holds }));

const codeFields = ['code', 'error_code', 'errorCode', 'Code', 'status_code', 'statusCode'];
const typeFields = ['type', 'error_type', '__type'];

/**
 * Reads the body of an error, or the data of an error event: JSON of any shape in {@link
 * errorShapes}, even truncated or within a stream's event; the title of a page; otherwise its text.
 * Linear in the length of the body.
 */
export function readErrorBody(body: string): ErrorReport {
  const report = readText(body, maxLevels);
  return { ...nothing, ...report, message: clip(report?.message ?? '') };
}

const nothing = { code: undefined, type: undefined, parameter: undefined, isPage: false };

function readValue(value: unknown, levels: number): ErrorReport | undefined {
  if (levels === 0) return undefined;
  if (typeof value === 'string') return readText(value, levels - 1);
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value.slice(0, maxEntries);
    return findFirst(entries, (entry) => readValue(entry, levels - 1));
  }
  return isObject(value) ? readObject(value, levels - 1) : undefined;
}

function readObject(value: JsonObject, levels: number): ErrorReport | undefined {
  const known = findFirst(shapes, ({ path, holds }) => {
    const held = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
    if ((typeof held === 'string') !== (holds === 'words')) return undefined;
    return readValue(
      holds === 'reports by name' ? Object.values(isObject(held) ? held : {}) : held,
      levels,
    );
  });
  const report = known ?? readTellingFields(value, levels);
  if (report === undefined) return undefined;
  const code = findFirst(codeFields, (field) => {
    const held = value[field];
    return typeof held === 'number' ? held : nonEmptyString(held);
  });
  const type = findFirst(typeFields, (field) => nonEmptyString(value[field]));
  // The parameter's name, or the last name of a path to it in the request.
  const { param, loc } = value;
  const parameter =
    nonEmptyString(param) ?? (Array.isArray(loc) ? nonEmptyString(loc.at(-1)) : undefined);
  return {
    ...report,
    code: report.code ?? code,
    type: report.type ?? type,
    parameter: report.parameter ?? parameter,
  };
}

/** Other names of fields with a message: `retmsg`, `ErrorText`, `statusMessage`. */
const tellingName =
  /(?:message|msg|error|err|errors|exception|fault|failure|cause|reason|errortext|faultstring)$/i;

/** Other names of objects that contain a report. */
const containerName =
  /^(?:data|body|response|result|status|output|meta|delta)$|(?:error|exception|fault|failure|cause)$/i;

/** Names in {@link errorShapes}, so that no object is read twice. */
const knownNames = new Set(shapes.map(({ path: [name = ''] }) => name));

/** Number of characters at the end of a name that are compared. */
const maxName = 64;

/** Reads the fields whose names indicate an error, in any spelling. */
function readTellingFields(value: JsonObject, levels: number): ErrorReport | undefined {
  if (levels < minLevels) return undefined;
  return findFirst(Object.keys(value).slice(0, maxFields), (name) => {
    const held = value[name];
    const names = typeof held === 'string' ? tellingName : containerName;
    const isTried = isObject(held) && knownNames.has(name);
    const mayTell = (typeof held === 'string' || isObject(held)) && !isTried;
    return mayTell && names.test(name.slice(-maxName)) ? readValue(held, levels) : undefined;
  });
}

/** Reads JSON, a page, an event of a stream or plain text; undefined if nothing remains. */
function readText(text: string, levels: number): ErrorReport | undefined {
  const trimmed = text.trim();
  if (levels > 0 && /^[[{"]/.test(trimmed)) {
    // It may be truncated, or have one value per line.
    const firstLine = trimmed.slice(0, maxTextLength).split('\n', 1)[0] ?? '';
    const value = parseJson(trimmed) ?? parseJson(firstLine) ?? parsePartialJson(trimmed);
    const report = readValue(value, levels);
    if (report !== undefined || (isObject(value) && saysNothing(value['error']))) return report;
  }
  const words = trimmed.slice(0, maxTextLength);
  // Some messages begin with a status: `<400> InternalError…`.
  if (/^<[a-z!?]/i.test(words)) return { ...nothing, message: readPage(words), isPage: true };
  if (levels > 0 && /^(data|event|id|retry):/.test(words)) {
    const lines = words.split(/[\r\n]+/).filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice('data:'.length)).join('\n');
    const report = readText(data, levels - 1);
    if (report !== undefined) return report;
  }
  return words === '' ? undefined : { ...nothing, message: words };
}

/** True for an error without text. */
function saysNothing(error: unknown): boolean {
  const fields: readonly unknown[] = isObject(error) ? Object.values(error) : [error];
  return fields.every((field) => field === null || field === '');
}

/** The text of the first element with one of these names. Other text of a page is ignored. */
function readPage(page: string): string {
  const text = findFirst(['title', 'message', 'h1'], (name) => {
    const start = page.search(new RegExp(`<${name}[\\s>]`, 'i'));
    const from = start < 0 ? 0 : page.indexOf('>', start) + 1;
    if (from === 0) return undefined;
    const end = page.indexOf('<', from);
    return nonEmptyString(page.slice(from, end < 0 ? page.length : end).trim());
  });
  return text ?? '';
}

function clip(text: string): string {
  const line = plainLine(text.slice(0, maxTextLength));
  return line.length > quotedLength ? `${truncateGraphemes(line, quotedLength)}…` : line;
}

function findFirst<Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

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
  if (!isObject(value)) return undefined;
  const isNamed = isNamedError(value);
  const quoted = isNamed ? { ...nothing, message: writeJson(value).slice(0, 300) } : undefined;
  const found = readValue(value, maxLevels);
  const report = found ? { ...found, message: clip(found.message) } : quoted;
  return report && { report, isNamed, isError: isNamed || isError(value, report) };
}

/** True if a field labels an error. Some services send the field, empty, with every chunk. */
function isNamedError(value: JsonObject): boolean {
  const groq = value['x_groq'];
  const errors = [value['error'], value['errors'], isObject(groq) ? groq['error'] : undefined];
  const isFilled = (error: unknown): boolean =>
    isObject(error) ? Object.values(error).some(Boolean) : Boolean(error);
  if (errors.some((error) => (Array.isArray(error) ? error.length > 0 : isFilled(error))))
    return true;
  // Names of AWS: `modelStreamErrorException`.
  if (Object.keys(value).some((key) => isObject(value[key]) && key.endsWith('Exception')))
    return true;
  return value['object'] === 'error' || value['type'] === 'error' || value['status'] === 'error';
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
