import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import type { OpenableTarget } from '../../core/approval/addresses.ts';
import { pathLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import {
  renderOutline,
  renderLocatedLines,
  type OutlineSymbol,
  type LocatedLine,
} from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { queryLanguageService, openTarget } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';
import { symbolKindName, workspaceSymbols } from '../workspace/symbols.ts';
import { ProviderFiles, readEach } from '../workspace/workspacePlaces.ts';

const schema = z.strictObject({
  query: z.optional(z.string().check(z.describe('Part of a name'))),
  path: z.optional(z.string().check(z.describe('File'))),
});
type Args = z.infer<typeof schema>;

/** `find_symbols`: finds symbols by name in the workspace, or lists those of a file. */
export function findSymbolsTool({ gate }: { readonly gate: ReadGate }): Tool {
  return defineTool({
    name: 'find_symbols',
    category: 'read',
    icon: 'symbol-method',
    label: vscode.l10n.t('Find Symbols'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 30_000,
    description: 'Finds symbols by name in the workspace, or all of one file.',
    schema,
    title: titleOf,
    async run({ query = '', path = '' }, context) {
      if (path !== '') {
        return gate.open(path, 'document', context, (target) =>
          outlineOf(target, query, gate, context.signal),
        );
      }
      if (query === '') throw new ToolError('Give a query or the path of a file.');
      const [allowed] = await readEach(gate, undefined, context, () => Promise.resolve(query));
      return allowed === undefined ? noSymbols : symbolsOf(allowed, gate);
    },
  });
}

function titleOf({ query = '', path = '' }: Args): string {
  if (query === '') return vscode.l10n.t('List symbols in {0}', path);
  if (path === '') return vscode.l10n.t('Find symbol {0}', query);
  return vscode.l10n.t('Find symbol {0} in {1}', query, path);
}

const noSymbols = 'No symbols found. Not every language supports this: search_text finds text.';
const maxSymbols = 200;
/** Limit, since some language extensions return all symbols they know. */
const maxSearchedSymbols = 2000;

async function symbolsOf(query: string, gate: ReadGate): Promise<string> {
  const files = new ProviderFiles(gate);
  const placed: LocatedLine[] = [];
  for (const { location, name, kind, containerName } of await workspaceSymbols(query)) {
    if (placed.length >= maxSearchedSymbols) break;
    if (!(await files.mayShow(location.uri))) continue;
    const within = containerName === '' ? '' : ` in ${containerName}`;
    placed.push({
      label: labelFor(location.uri),
      line: location.range.start.line + 1,
      text: `${symbolKindName(kind)} ${name}${within}`,
    });
  }
  if (placed.length === 0) return noSymbols;
  return renderLocatedLines(placed, {
    most: maxSymbols,
    noteOmitted: (count) => `(${count} more: give more of the name.)`,
  });
}

async function outlineOf(
  target: Approved<OpenableTarget>,
  query: string,
  gate: ReadGate,
  signal: AbortSignal,
): Promise<string> {
  const opened = await openTarget(target, gate);
  const symbols = await queryLanguageService(opened, signal, () =>
    vscode.commands.executeCommand<
      (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
    >('vscode.executeDocumentSymbolProvider', opened.document.uri),
  );
  const outline = renderOutline(symbols.map(toOutline), query);
  return outline === '' ? noSymbols : `${pathLine(target.value.label)}\n${outline}`;
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
