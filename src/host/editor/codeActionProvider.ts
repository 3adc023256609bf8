import * as vscode from 'vscode';
import { codeCommandOffers } from '../../core/code/codeCommands.ts';
import { codeCommandId, reviewScheme } from '../contributions.ts';
import { cellScheme } from '../platform/location.ts';
import type { CodeCommandArgument } from './commandTarget.ts';

const { QuickFix, RefactorRewrite } = vscode.CodeActionKind;

/**
 * Offers commands on diagnostics and on the name of a symbol. Symbols are looked up only when the
 * person opens the menu: a light bulb at every name would be noise, and a lookup for every cursor
 * position is expensive.
 *
 * @param symbolNamedAt the range of the symbol whose name is at a position, if there is a name
 */
export function registerCodeActionProvider(
  symbolNamedAt: (
    document: vscode.TextDocument,
    position: vscode.Position,
  ) => Promise<vscode.Range | undefined>,
): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: '*' },
    {
      async provideCodeActions(document, range, { diagnostics, triggerKind, only }) {
        if (!canChange(document)) return [];
        const { uri } = document;
        const actions = diagnostics.flatMap((diagnostic) => {
          const problem = { uri, range: diagnostic.range, diagnostics: [diagnostic] };
          return actionsOn('onProblem', problem, QuickFix);
        });
        const isAsked = triggerKind === vscode.CodeActionTriggerKind.Invoke;
        const mayBeName = range.isSingleLine && (only?.intersects(RefactorRewrite) ?? true);
        if (!isAsked || !mayBeName) return actions;
        const symbol = await symbolNamedAt(document, range.start);
        if (symbol === undefined) return actions;
        const named = actionsOn('onSymbol', { uri, range: symbol }, RefactorRewrite);
        return [...actions, ...named];
      },
    },
    { providedCodeActionKinds: [QuickFix, RefactorRewrite] },
  );
}

/** True for documents of any writable file system, but for neither virtual documents nor reviews. */
function canChange({ uri: { scheme } }: vscode.TextDocument): boolean {
  const hasNoFile = scheme === 'untitled' || scheme === cellScheme;
  const isWritable = vscode.workspace.fs.isWritableFileSystem(scheme) === true;
  return hasNoFile || (isWritable && scheme !== reviewScheme);
}

function actionsOn(
  target: 'onProblem' | 'onSymbol',
  argument: CodeCommandArgument,
  kind: vscode.CodeActionKind,
): readonly vscode.CodeAction[] {
  return codeCommandOffers.flatMap(({ name, [target]: label }) => {
    if (label === undefined) return [];
    const title = label(vscode.l10n);
    const action = new vscode.CodeAction(title, kind);
    if (argument.diagnostics !== undefined) action.diagnostics = [...argument.diagnostics];
    action.command = { title, command: codeCommandId(name), arguments: [argument] };
    return [action];
  });
}
