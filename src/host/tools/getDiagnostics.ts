import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate, VisibleFiles } from '../../core/approval/gate.ts';
import { raceAbort } from '../../core/support/async.ts';
import { systemClock } from '../../core/support/clock.ts';
import { truncateText } from '../../core/support/text.ts';
import { renderLocatedLines, type LocatedLine } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { openTarget } from '../platform/files.ts';
import { labelFor } from '../platform/location.ts';
import { notebookUri, openNotebook } from '../platform/notebooks.ts';
import { ProviderFiles, readEach } from '../platform/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.optional(z.string().check(z.describe('File; default: all known'))),
});

/** Maximum number of problems in a result, and of characters in one message. */
const maxProblems = 100;
const maxMessageLength = 1000;

/** `get_diagnostics`: lists the errors and warnings of VS Code and its language extensions. */
export function getDiagnosticsTool(gate: ReadGate): Tool {
  const reports = new DiagnosticsReports();
  return defineTool({
    name: 'get_diagnostics',
    category: 'read',
    icon: 'checklist',
    label: vscode.l10n.t('Get Problems'),
    summary: { many: vscode.l10n.t('List problems {0} times') },
    deadline: 10_000,
    description: 'Errors and warnings that the editor shows.',
    schema,
    title({ path = '' }) {
      if (path === '') return vscode.l10n.t('List problems');
      return vscode.l10n.t('List problems in {0}', path);
    },
    async run({ path = '' }, context) {
      if (path !== '') {
        return gate.open(path, 'document', context, async (target) => {
          const { label } = target.value;
          const notebook = notebookUri(target.value);
          if (notebook !== undefined) {
            const cells = (await openNotebook(notebook, label)).getCells();
            return describe(
              cells.flatMap(({ document: { uri } }) =>
                linesOf(labelFor(uri), important(vscode.languages.getDiagnostics(uri))),
              ),
            );
          }
          const { document } = await openTarget(target, gate);
          await reports.wait(document, context.signal);
          const problems = vscode.languages.getDiagnostics(document.uri);
          return describe(linesOf(label, important(problems)));
        });
      }
      await readEach(gate, undefined, context, () => Promise.resolve());
      return knownProblems(gate);
    },
  });
}

/**
 * The problems of readable files. Files with errors come first, those in visible editors before
 * others, since a long list is truncated.
 */
export async function knownProblems(visible: VisibleFiles): Promise<string> {
  const files = new ProviderFiles(visible);
  const inSight = new Set(
    vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()),
  );
  const listed: {
    readonly lines: readonly LocatedLine[];
    readonly worst: vscode.DiagnosticSeverity;
    readonly isInSight: boolean;
  }[] = [];
  for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
    const problems = important(diagnostics);
    const [first] = problems;
    if (first === undefined || !(await files.mayShow(uri))) continue;
    const isInSight = inSight.has(uri.toString());
    listed.push({ lines: linesOf(labelFor(uri), problems), worst: first.severity, isInSight });
  }
  listed.sort((a, b) => a.worst - b.worst || Number(b.isInSight) - Number(a.isInSight));
  return describe(listed.flatMap(({ lines }) => lines));
}

function important(diagnostics: readonly vscode.Diagnostic[]): readonly vscode.Diagnostic[] {
  return diagnostics
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
    .toSorted(
      (first, second) =>
        first.severity - second.severity || first.range.start.compareTo(second.range.start),
    );
}

function linesOf(label: string, diagnostics: readonly vscode.Diagnostic[]): readonly LocatedLine[] {
  return diagnostics.map(({ severity, message, source = '', code, range }) => {
    const kind = severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning';
    const number = typeof code === 'object' ? code.value : (code ?? '');
    const origin = [source, String(number)].filter((part) => part !== '').join(' ');
    const words = truncateText(message, maxMessageLength);
    const text = `${kind}: ${words}${origin === '' ? '' : ` (${origin})`}`;
    return { label, line: range.start.line + 1, text };
  });
}

function describe(lines: readonly LocatedLine[]): string {
  if (lines.length === 0) return 'No known errors or warnings.';
  return renderLocatedLines(lines, maxProblems, 'ask for one file');
}

/** Milliseconds to wait for diagnostics of a text that has changed. */
const maxWait = 2000;

/**
 * Waits for the diagnostics of a changed document: language extensions analyze it with a delay, and
 * report nothing if there are no problems.
 */
class DiagnosticsReports {
  /** The last awaited version of each document. */
  readonly #seen = new WeakMap<vscode.TextDocument, number>();

  /** Resolves when diagnostics were reported since the change, or after the timeout. */
  async wait(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const { version } = document;
    if (this.#seen.get(document) === version) return;
    this.#seen.set(document, version);
    const address = document.uri.toString();
    const reported = new Promise<void>((resolve) => {
      const timer = systemClock.after(maxWait, () => end());
      const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((changed) => changed.toString() === address)) end();
      });
      const end = (): void => {
        timer.dispose();
        listening.dispose();
        resolve();
      };
    });
    await raceAbort(reported, signal);
  }
}
