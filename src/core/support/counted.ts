/** Separates the plural forms of a translation. */
const formSeparator = '¦';

/** Cached, since lists have many numbers and creating rules is slow. */
const pluralRules = new Map<string, Intl.PluralRules>();

/**
 * The form for a number. A translation has one form, two (one, other) or three (one, few, other),
 * separated by `¦`: a language may use other forms than English, and for other numbers.
 */
function formFor(message: string, count: number, language: string): string {
  const forms = message.split(formSeparator);
  const other = forms.at(-1) ?? message;
  if (forms.length === 1) return other;
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language || undefined);
  pluralRules.set(language, rules);
  const rule = rules.select(count);
  if (rule === 'one') return forms[0] ?? other;
  return rule === 'few' && forms.length > 2 ? (forms[1] ?? other) : other;
}

/**
 * A message with a count. The plural form is chosen before values are inserted, as these may
 * contain any text.
 *
 * @param message result of `l10n.t` without values
 * @param language of the message, which is VS Code's display language
 * @param values of the placeholders `{0}`, `{1}` …; only the count by default
 */
export function counted(
  message: string,
  count: number,
  language: string,
  ...values: readonly (string | number)[]
): string {
  const replacements = values.length > 0 ? values : [count.toLocaleString(language || undefined)];
  return formFor(message, count, language).replace(/\{(\d+)\}/g, (placeholder, index: string) =>
    String(replacements[Number(index)] ?? placeholder),
  );
}
