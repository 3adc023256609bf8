/**
 * A notification turns `[text](command:…)` into a link that runs the command. What comes from a
 * service must not get that far, so the two brackets are kept apart.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
