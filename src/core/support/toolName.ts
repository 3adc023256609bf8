/** What models and services put before a name: `functions.read_file`. */
const prefix = /^(?:functions?|tools?|default_api|default|api|namespace)[.:/]/i;
/** What they leave after it: a control token of the model's template, or the number of the call. */
const suffix = /(?:<\|.*|[:.]\d{1,3})$/s;

/**
 * The tool that a name means: one of the names as it is, or without what some models write around it.
 * Other names stay as they are.
 */
export function knownToolName(written: string, names: readonly string[]): string {
  if (names.includes(written)) return written;
  const plain = written.trim().replace(suffix, '').replace(prefix, '');
  return names.includes(plain) ? plain : written;
}
