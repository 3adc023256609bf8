/** What a `.prompt.md` file says. */
export interface PromptText {
  readonly description?: string;
  /** What the model is asked. */
  readonly body: string;
}

/**
 * Reads a prompt file: Markdown with YAML in front, of which only `description` counts. Its tools,
 * mode and model are not followed: what a repository says chooses none of these.
 *
 * @param name of the file, for the error
 */
export function parsePromptFile(
  name: string,
  text: string,
): PromptText | { readonly error: string } {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const isFronted = lines[0]?.trimEnd() === '---';
  const end = isFronted ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : 0;
  if (end < 0) return { error: `${name}: its front matter has no end (a line with ---).` };
  const front = isFronted ? lines.slice(1, end) : [];
  const body = lines
    .slice(isFronted ? end + 1 : 0)
    .join('\n')
    .trim();
  if (body === '') return { error: `${name}: it asks nothing.` };
  const description = descriptionIn(front);
  return description === undefined ? { body } : { description, body };
}

function descriptionIn(front: readonly string[]): string | undefined {
  const line = front.find((one) => one.startsWith('description:'));
  const [, quoted, plain] = /^description:\s*(?:(["'].*["'])|(.*))\s*$/.exec(line ?? '') ?? [];
  const text = quoted === undefined ? (plain ?? '').trim() : quoted.slice(1, -1);
  return text === '' ? undefined : text;
}
