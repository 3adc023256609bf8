import { isObject } from './json.ts';

/** The same value with the fields of all objects in one order: what says the same is written alike. */
export function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, sortedFields(field)] as const);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
