/**
 * The address as it may be opened, or undefined for everything but absolute http and https: a
 * reply never gets to name a command, a file or a script.
 */
export function safeHref(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
