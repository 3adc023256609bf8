import { systemClock } from '../../src/core/support/clock.ts';
import type { Gate } from '../../src/core/tools/gate.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { withoutVsCode } from './withoutVsCode.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('There is no VS Code here.'));

/** A gate that lets nothing through. */
const closedGate: Gate = {
  read: refuse,
  edit: refuse,
  run: refuse,
  external: refuse,
  mayShow: () => false,
};

/** Aside's reading tools, to look at and not to call. */
export function readToolsHere(): Promise<readonly Tool[]> {
  return withoutVsCode(async () => {
    const { readFileTool } = await import('../../src/host/tools/readFile.ts');
    const { listFilesTool } = await import('../../src/host/tools/listFiles.ts');
    const { searchTextTool } = await import('../../src/host/tools/searchText.ts');
    const { findSymbolsTool } = await import('../../src/host/tools/findSymbols.ts');
    const { findReferencesTool } = await import('../../src/host/tools/findReferences.ts');
    const { getDiagnosticsTool } = await import('../../src/host/tools/getDiagnostics.ts');
    const { getEditorStateTool } = await import('../../src/host/tools/getEditorState.ts');
    const { getChangesTool } = await import('../../src/host/tools/getChanges.ts');
    const needs = {
      gate: closedGate,
      searchAt: () => {
        throw new Error('There are no files here.');
      },
    };
    return [
      readFileTool(needs),
      listFilesTool(needs),
      searchTextTool(needs),
      findSymbolsTool(needs),
      findReferencesTool(needs),
      getDiagnosticsTool(needs),
      getEditorStateTool(needs),
      getChangesTool(needs),
    ];
  });
}

/** All of Aside's tools, to look at and not to call. */
export function ownToolsHere(): Promise<readonly Tool[]> {
  return withoutVsCode(async () => {
    const { ownTools } = await import('../../src/host/tools/ownTools.ts');
    return ownTools({
      gate: closedGate,
      files: { readFile: refuse },
      changes: { apply: refuse },
      searchAt: () => {
        throw new Error('There are no files here.');
      },
      terminals: { shell: '', start: refuse },
      clock: systemClock,
    });
  });
}
