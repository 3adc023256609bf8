import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import formatOptions from '../../oxfmt.config.ts';

/**
 * Replaces the lines between `<!-- NAME -->` and `<!-- /NAME -->` in a document. The result is
 * formatted like all documents, including the columns of tables. Throws if a mark is missing.
 */
export async function withBlock(
  path: string,
  name: string,
  lines: readonly string[],
): Promise<string> {
  const text = await readFile(path, 'utf8');
  const start = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The document has no ${start} … ${end}.`);
  const filled = [text.slice(0, from + start.length), '', ...lines, '', text.slice(to)].join('\n');
  const { code, errors } = await format(path, filled, formatOptions);
  const [error] = errors;
  if (error !== undefined) throw new Error(`The document can't be formatted: ${error.message}`);
  return code;
}
