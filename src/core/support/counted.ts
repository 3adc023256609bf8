/** Stands between the forms that a translation has for different numbers. */
const formSeparator = '¦';

/** Kept, since lists have many numbers and each of these takes long to create. */
const pluralRules = new Map<string, Intl.PluralRules>();

function rulesOf(language: string): Intl.PluralRules {
  const known = pluralRules.get(language);
  if (known !== undefined) return known;
  const rules = new Intl.PluralRules(language || undefined);
  pluralRules.set(language, rules);
  return rules;
}

/**
 * The form for a number. A translation has one form, two (one, the rest) or three (one, few, the
 * rest), with `¦` between them: a language may have other forms than English, and for other numbers.
 */
function formFor(message: string, count: number, language: string): string {
  const forms = message.split(formSeparator);
  const rest = forms.at(-1) ?? message;
  if (forms.length === 1) return rest;
  const rule = rulesOf(language).select(count);
  if (rule === 'one') return forms[0] ?? rest;
  return rule === 'few' && forms.length > 2 ? (forms[1] ?? rest) : rest;
}

/**
 * A message about a number of things. The form is chosen before values are in the message, as these
 * may have any text.
 * @param message as `l10n.t` returns it without values
 * @param language of the message, which is the display language of VS Code
 * @param values of the placeholders `{0}`, `{1}` …; only the number itself if there are none
 */
export function counted(
  message: string,
  count: number,
  language: string,
  ...values: readonly (string | number)[]
): string {
  const shown = values.length > 0 ? values : [count.toLocaleString(language || undefined)];
  return formFor(message, count, language).replace(/\{(\d+)\}/g, (placeholder, index: string) =>
    String(shown[Number(index)] ?? placeholder),
  );
}
