/** A person's own command: a file of words for the model. */
export interface ParsedPromptFile {
  /** What is typed behind the slash. */
  readonly name: string;
  readonly description: string;
  /** Where the result goes: `edit` into the editor, all others into the panel. */
  readonly mode: 'ask' | 'edit' | 'agent';
  /** The model that it asks for. */
  readonly model?: string;
  readonly body: string;
}

/**
 * A file that is no such command, and why: it has no `name` that could be typed, its `front matter`
 * has no end, it is `empty`, or `too long` for a prompt.
 */
export interface InvalidPromptFile {
  readonly name: string;
  readonly problem: 'name' | 'front matter' | 'empty' | 'too long';
}

/** Characters of a file: more is no prompt. */
const maxCharacters = 100_000;

const ending = /(?:\.prompt)?\.md$/i;

/**
 * Reads a `.prompt.md` file: an optional front matter of `key: value` lines, then the words for the
 * model. Of the front matter `description`, `mode` (or `agent`) and `model` count; everything else,
 * `tools` above all, is left out: a file must not give rights.
 *
 * @param fileName its name in its folder
 */
export function parsePromptFile(
  fileName: string,
  text: string,
): ParsedPromptFile | InvalidPromptFile {
  const name = fileName.replace(ending, '').trim().replace(/\s+/g, '-');
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]{0,63}$/u.test(name)) return { name, problem: 'name' };
  if (text.length > maxCharacters) return { name, problem: 'too long' };
  const parts = partsOf(text.replace(/^\ufeff/, ''));
  if (parts === undefined) return { name, problem: 'front matter' };
  const body = parts.body.trim();
  if (body === '') return { name, problem: 'empty' };
  const fields = fieldsOf(parts.head);
  const model = fields.get('model') ?? '';
  return {
    name,
    description: (fields.get('description') ?? '').slice(0, 500),
    mode: modeOf(fields.get('mode') ?? fields.get('agent') ?? ''),
    ...(model === '' ? {} : { model }),
    body,
  };
}

/** Undefined where the front matter has no end. */
function partsOf(text: string): { readonly head: string; readonly body: string } | undefined {
  const [first = '', ...lines] = text.split(/\r?\n/);
  if (first.trimEnd() !== '---') return { head: '', body: text };
  const end = lines.findIndex((line) => line.trimEnd() === '---');
  if (end < 0) return undefined;
  return { head: lines.slice(0, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** The fields with one value: lists and what is indented below a field are not read. */
function fieldsOf(head: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of head.split('\n')) {
    const [, key, value] = /^([A-Za-z][\w-]*):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) fields.set(key.toLowerCase(), valueOf(value));
  }
  return fields;
}

/** A value without its quotes, or without the comment behind it. */
function valueOf(written: string): string {
  const [, single, double] =
    /^(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)")(?:\s+#.*)?$/.exec(written) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double !== undefined) return double.replace(/\\(["\\/])/g, '$1');
  return written.replace(/(?:^|\s+)#.*$/, '');
}

function modeOf(value: string): ParsedPromptFile['mode'] {
  const mode = value.toLowerCase();
  return mode === 'edit' || mode === 'agent' ? mode : 'ask';
}
