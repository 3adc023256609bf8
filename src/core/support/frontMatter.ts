/** A Markdown file with front matter: `key: value` lines between two lines of `---`. */
export interface FrontMatterFile {
  /** Values by their keys in lower case. Nested values are omitted. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text after the front matter, or the whole file. */
  readonly body: string;
}

/**
 * Reads the front matter of a file. Supports only a part of YAML: values on one line, a list with
 * one value per line, or the lines after `>` or `|`, which become one. Undefined if the front matter
 * is not terminated.
 */
export function readFrontMatter(text: string): FrontMatterFile | undefined {
  const whole = text.replace(/^\ufeff/, '');
  const [first = '', ...lines] = whole.split(/\r?\n/);
  if (first.trimEnd() !== '---') return { fields: new Map(), body: whole };
  const end = lines.findIndex((line) => line.trimEnd() === '---');
  if (end < 0) return undefined;
  return { fields: fieldsOf(lines.slice(0, end)), body: lines.slice(end + 1).join('\n') };
}

/** The values of a list, `[one, 'two']` or with commas alone. */
export function listOf(value: string): readonly string[] {
  const inside = /^\[([^]*)\]$/.exec(value.trim())?.[1] ?? value;
  const parts = inside.match(/\s*'(?:[^']|'')*'|\s*"(?:[^"\\]|\\.)*"|(?:\{[^{}]*\}|[^,])+/g) ?? [];
  return parts.map((part) => valueOf(part.trim())).filter((part) => part !== '');
}

function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const blocks = new Map<string, string[]>();
  let last = '';
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z][\w-]*):([^]*)$/.exec(line) ?? [];
    const item = /^-(?=\s|$)([^]*)$/.exec(line.trim())?.[1];
    if (key !== undefined && value !== undefined) {
      last = key.toLowerCase();
      fields.set(last, valueOf(value.trim()));
    } else if (/^[>|][+-]?$/.test(fields.get(last) ?? '')) {
      const words = blocks.get(last) ?? [];
      words.push(line.trim());
      blocks.set(last, words);
    } else if (item !== undefined && fields.get(last) === '') {
      const items = lists.get(last) ?? [];
      items.push(item.trim());
      lists.set(last, items);
    }
  }
  for (const [key, words] of blocks) fields.set(key, words.filter(Boolean).join(' '));
  for (const [key, items] of lists) fields.set(key, `[${items.join(', ')}]`);
  return fields;
}

/** A value of front matter without its quotes, or without the comment after it. */
export function valueOf(written: string): string {
  const [, single, double] =
    /^(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)")(?:\s+#.*)?$/.exec(written) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double !== undefined) return double.replace(/\\(["\\/])/g, '$1');
  const comment = written.search(/(?:^|\s)#/);
  return comment < 0 ? written : written.slice(0, comment).trimEnd();
}
