import * as vscode from 'vscode';
import { commands } from '../contributions.ts';
import type { CodeCommandArgument } from './commandTarget.ts';

interface CodeActionProviderOptions {
  /** The range of the symbol whose name is at a position; undefined if there is no name. */
  readonly symbolNamedAt: (
    document: vscode.TextDocument,
    position: vscode.Position,
  ) => Promise<vscode.Range | undefined>;
}

const { QuickFix, RefactorRewrite } = vscode.CodeActionKind;

/**
 * Offers commands on diagnostics and on the name of a symbol. Symbols are looked up only when the
 * person opens the menu: a light bulb at every name would be noise, and a lookup for every cursor
 * position is expensive.
 */
export function registerCodeActionProvider({
  symbolNamedAt,
}: CodeActionProviderOptions): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    // No read-only virtual documents: they cannot be changed.
    [{ scheme: 'file' }, { scheme: 'untitled' }, { scheme: 'vscode-vfs' }],
    {
      async provideCodeActions(document, range, { diagnostics, triggerKind, only }) {
        const actions = diagnostics.flatMap((one) => actionsOn(document, one));
        const isAsked = triggerKind === vscode.CodeActionTriggerKind.Invoke;
        const mayBeName = range.isSingleLine && (only?.intersects(RefactorRewrite) ?? true);
        if (!isAsked || !mayBeName) return actions;
        const symbol = await symbolNamedAt(document, range.start);
        return symbol === undefined ? actions : [...actions, documentation(document, symbol)];
      },
    },
    { providedCodeActionKinds: [QuickFix, RefactorRewrite] },
  );
}

function actionsOn(
  { uri }: vscode.TextDocument,
  diagnostic: vscode.Diagnostic,
): readonly vscode.CodeAction[] {
  const diagnostics = [diagnostic];
  const argument = { uri, range: diagnostic.range, diagnostics };
  const actions = [
    action(vscode.l10n.t('Fix with Aside'), commands.fix, argument, QuickFix),
    action(vscode.l10n.t('Explain with Aside'), commands.explain, argument, QuickFix),
  ];
  for (const one of actions) one.diagnostics = diagnostics;
  return actions;
}

function documentation({ uri }: vscode.TextDocument, range: vscode.Range): vscode.CodeAction {
  const title = vscode.l10n.t('Document with Aside');
  return action(title, commands.document, { uri, range }, RefactorRewrite);
}

function action(
  title: string,
  command: string,
  argument: CodeCommandArgument,
  kind: vscode.CodeActionKind,
): vscode.CodeAction {
  const made = new vscode.CodeAction(title, kind);
  made.command = { title, command, arguments: [argument] };
  return made;
}
