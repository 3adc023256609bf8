import { isObject, parseJson, type JsonObject } from '../support/json.ts';

/**
 * Reads the arguments of a call, which models often write with a small mistake: as JSON in a string,
 * with line breaks in strings, `null` for what they leave out, a number or a list as text. What can
 * mean only one thing is read so; the schema of the tool is checked afterwards.
 *
 * @param json as the model wrote it; some services send an empty text for no arguments
 * @param schema of the tool, see `toJsonSchema`
 * @returns undefined if it is no JSON object
 */
export function readArguments(json: string, schema: JsonObject): JsonObject | undefined {
  if (json.trim() === '') return {};
  const value = parseJson(json) ?? parseJson(escapeControls(json));
  const object = fitObject(isObject(value) ? value : parsed(value, isObject), schema);
  return isObject(object) ? object : undefined;
}

/** Escapes control characters in the strings of a JSON text, where only escapes are valid. */
function escapeControls(json: string): string {
  return json.replace(/"(?:[^"\\]|\\[^])*"?/g, (string) =>
    string.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1)),
  );
}

function fit(value: unknown, schema: JsonObject): unknown {
  switch (schema['type']) {
    case 'object':
      return fitObject(isObject(value) ? value : parsed(value, isObject), schema);
    case 'array': {
      const list = Array.isArray(value) ? value : parsed(value, isList);
      const entries: readonly unknown[] = Array.isArray(list) ? list : [list];
      const items = schema['items'];
      return isObject(items) ? entries.map((entry) => fit(entry, items)) : entries;
    }
    case 'number':
      return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())
        ? Number(value)
        : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

function fitObject(value: unknown, { properties, required }: JsonObject): unknown {
  if (!isObject(value) || !isObject(properties)) return value;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const schema = properties[name];
      if (!isObject(schema)) return [[name, field]];
      return field === null && !isRequired(name) ? [] : [[name, fit(field, schema)]];
    }),
  );
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

/** The value of a JSON text, if it is of the right kind; otherwise the text itself. */
function parsed(value: unknown, isRight: (inner: unknown) => boolean): unknown {
  if (typeof value !== 'string') return value;
  const inner = parseJson(value) ?? parseJson(escapeControls(value));
  return isRight(inner) ? inner : value;
}
