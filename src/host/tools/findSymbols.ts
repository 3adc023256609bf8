import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { pathLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { renderLocatedLines, type LocatedLine } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { queryLanguageService, openTarget } from '../platform/files.ts';
import { labelFor } from '../platform/location.ts';
import { symbolKindName, workspaceSymbols } from '../platform/symbols.ts';
import { ProviderFiles, readEach } from '../platform/workspacePlaces.ts';

const schema = z.strictObject({
  query: z.optional(z.string().check(z.describe('Part of a name'))),
  path: z.optional(z.string()),
});

const noSymbols = 'No symbols found. Not every language supports this: search_text finds text.';
const maxSymbols = 200;
/** Limit, since some language extensions return all symbols they know. */
const maxSearchedSymbols = 2000;
const maxOutlineLines = 300;

/** `find_symbols`: finds symbols by name in the workspace, or lists those of a file. */
export function findSymbolsTool(gate: ReadGate): Tool {
  return defineTool({
    name: 'find_symbols',
    category: 'read',
    icon: 'symbol-method',
    label: vscode.l10n.t('Find Symbols'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 30_000,
    description: 'Finds symbols by name in the workspace, or all of one file.',
    schema,
    title({ query = '', path = '' }) {
      if (query === '') return vscode.l10n.t('List symbols in {0}', path);
      if (path === '') return vscode.l10n.t('Find symbol {0}', query);
      return vscode.l10n.t('Find symbol {0} in {1}', query, path);
    },
    async run({ query = '', path = '' }, context) {
      if (path !== '') {
        return gate.open(path, 'document', context, async (target) => {
          const opened = await openTarget(target, gate);
          const symbols = await queryLanguageService(opened, context.signal, () =>
            vscode.commands.executeCommand<
              (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
            >('vscode.executeDocumentSymbolProvider', opened.document.uri),
          );
          const outline = renderOutline(symbols.map(toOutline), query);
          return outline === '' ? noSymbols : `${pathLine(target.value.label)}\n${outline}`;
        });
      }
      if (query === '') throw new ToolError('Give a query or the path of a file.');
      const [allowed] = await readEach(gate, undefined, context, () => Promise.resolve(query));
      return allowed === undefined ? noSymbols : symbolsOfWorkspace(allowed, gate);
    },
  });
}

async function symbolsOfWorkspace(query: string, gate: ReadGate): Promise<string> {
  const files = new ProviderFiles(gate);
  const lines: LocatedLine[] = [];
  for (const { location, name, kind, containerName } of await workspaceSymbols(query)) {
    if (lines.length >= maxSearchedSymbols) break;
    if (!(await files.mayShow(location.uri))) continue;
    const within = containerName === '' ? '' : ` in ${containerName}`;
    lines.push({
      label: labelFor(location.uri),
      line: location.range.start.line + 1,
      text: `${symbolKindName(kind)} ${name}${within}`,
    });
  }
  if (lines.length === 0) return noSymbols;
  return renderLocatedLines(lines, maxSymbols, 'give more of the name');
}

function toOutline(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): OutlineSymbol {
  const isNested = 'children' in symbol;
  const range = isNested ? symbol.range : symbol.location.range;
  return {
    name: symbol.name,
    kind: symbolKindName(symbol.kind),
    start: range.start.line + 1,
    end: range.end.line + 1,
    children: isNested ? symbol.children.map(toOutline) : [],
  };
}

export interface OutlineSymbol {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  /** First and last line, counted from 1. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly OutlineSymbol[];
}

/**
 * The symbols of a file as an indented list: `12-40 function name`. A query limits it to symbols
 * whose names contain it in any case, and those around them.
 */
export function renderOutline(symbols: readonly OutlineSymbol[], query = ''): string {
  const wanted = query.toLowerCase();
  const lines = symbols.flatMap((symbol) => outlineLines(symbol, wanted, ''));
  if (lines.length <= maxOutlineLines) return lines.join('\n');
  const note = `(${lines.length - maxOutlineLines} more: give a query.)`;
  return [...lines.slice(0, maxOutlineLines), note].join('\n');
}

function outlineLines(symbol: OutlineSymbol, wanted: string, indent: string): readonly string[] {
  const { kind, start, end, children } = symbol;
  // Masked before the search, so that a query can't reveal a secret in a name (threats: T44).
  const name = maskSecrets(symbol.name).text;
  const inner = children.flatMap((child) => outlineLines(child, wanted, `${indent} `));
  if (inner.length === 0 && !name.toLowerCase().includes(wanted)) return [];
  const range = start === end ? String(start) : `${start}-${end}`;
  return [`${indent}${range} ${kind} ${name}`, ...inner];
}
