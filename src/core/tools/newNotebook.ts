import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import { ToolError } from '../support/toolError.ts';
import { mainLanguage, parseCells, renderCells, type CellText } from '../edits/notebookText.ts';

const sourceLines = z.union([z.string(), z.array(z.string())]);

/** The fields of a Jupyter notebook that don't come from a kernel. */
const jupyter = z.object({
  nbformat: z.literal(4),
  metadata: z.optional(
    z.object({
      language_info: z.optional(z.object({ name: z.optional(z.string()) })),
      kernelspec: z.optional(z.object({ language: z.optional(z.string()) })),
    }),
  ),
  cells: z.array(
    z.object({
      cell_type: z.enum(['code', 'markdown', 'raw']),
      source: sourceLines,
      outputs: z.optional(z.array(z.unknown())),
    }),
  ),
});

const howTo =
  'Give its cells: “%% cell markdown” or “%% cell code python” before the lines of each, or the JSON of a notebook of format 4 without outputs.';

/**
 * The cell text of a new notebook; accepts that text or JSON.
 *
 * @throws {ToolError} for anything else; its message is for the model
 */
export function cellsOfNewNotebook(content: string): string {
  const cells = /^\s*\{/.test(content) ? cellsOfJson(content) : cellsOfText(content);
  if (cells.length === 0) throw new ToolError(`A new notebook needs a cell. ${howTo}`);
  return renderCells(cells);
}

/**
 * A Jupyter notebook file with these cells.
 *
 * @param newId creates cell ids, which are required since version 4.5
 */
export function jupyterNotebook(cells: readonly CellText[], newId: () => string): string {
  const main = mainLanguage(cells);
  const content = {
    cells: cells.map(({ kind, language, source }) => {
      const isText = kind === 'markdown' || language === 'raw';
      const metadata = isText || language === main ? {} : { vscode: { languageId: language } };
      return {
        cell_type: isText ? (kind === 'markdown' ? kind : 'raw') : kind,
        ...(!isText && { execution_count: null, outputs: [] }),
        metadata,
        id: newId(),
        source: source.match(/[^\n]*\n|[^\n]+/g) ?? [],
      };
    }),
    metadata: { language_info: { name: main } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(content, undefined, 1)}\n`;
}

function cellsOfText(content: string): readonly CellText[] {
  try {
    return parseCells(content, 'python');
  } catch (error) {
    if (error instanceof ToolError) throw new ToolError(`This is no notebook. ${howTo}`);
    throw error;
  }
}

function cellsOfJson(content: string): readonly CellText[] {
  const parsed = jupyter.safeParse(parseJson(content));
  if (!parsed.success) throw new ToolError(`This is no notebook. ${howTo}`);
  const { cells, metadata } = parsed.data;
  if (cells.some(({ outputs = [] }) => outputs.length > 0)) {
    throw new ToolError('Leave the outputs empty: they come from running the cells.');
  }
  const main = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python';
  return cells.map(({ cell_type: type, source }) => ({
    kind: type === 'markdown' ? 'markdown' : 'code',
    language: { code: main, markdown: 'markdown', raw: 'raw' }[type],
    source: typeof source === 'string' ? source : source.join(''),
  }));
}
