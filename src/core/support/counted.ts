/** Separates the plural forms of a translation. */
const formSeparator = '¦';

/** Cached, since lists have many numbers and creating rules is slow. */
const pluralRules = new Map<string, Intl.PluralRules>();

/**
 * A message with a count. A translation has one form, two (one, other) or three (one, few, other),
 * separated by `¦`: a language may use other forms than English, and for other numbers. The form is
 * chosen before values are inserted, as these may contain any text.
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
  const forms = message.split(formSeparator);
  let form = forms.at(-1) ?? message;
  if (forms.length > 1) {
    const rules = pluralRules.get(language) ?? new Intl.PluralRules(language || undefined);
    pluralRules.set(language, rules);
    const rule = rules.select(count);
    if (rule === 'one') form = forms[0] ?? form;
    else if (rule === 'few' && forms.length > 2) form = forms[1] ?? form;
  }
  const replacements = values.length > 0 ? values : [count.toLocaleString(language || undefined)];
  return form.replace(/\{(\d+)\}/g, (placeholder, index: string) =>
    String(replacements[Number(index)] ?? placeholder),
  );
}
