/** The end of a delay of a day at most: `in 40 seconds`, or `in 5 minutes (14:05)`. */
export function formatDelay(
  milliseconds: number,
  context: { readonly now: number; readonly language: string },
): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  if (seconds <= 90) return formatRelativeTime(seconds * 1000, context.language);
  const distance = formatRelativeTime(milliseconds, context.language);
  const time = new Intl.DateTimeFormat(context.language, { timeStyle: 'short' });
  return `${distance} (${time.format(context.now + milliseconds)})`;
}

/** Kept, since a list of chats has thousands of times, and each format takes long to create. */
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();

function relativeFormat(language: string): Intl.RelativeTimeFormat {
  const known = relativeFormats.get(language);
  if (known !== undefined) return known;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  relativeFormats.set(language, format);
  return format;
}

/** A time relative to now: `5 minutes ago` for a negative number, otherwise `in 5 minutes`. */
export function formatRelativeTime(milliseconds: number, language: string): string {
  const format = relativeFormat(language);
  const seconds = Math.round(milliseconds / 1000);
  if (Math.abs(seconds) <= 90) return format.format(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (Math.abs(minutes) <= 90) return format.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) <= 36
    ? format.format(hours, 'hour')
    : format.format(Math.round(hours / 24), 'day');
}
