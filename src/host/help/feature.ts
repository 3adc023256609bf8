import * as vscode from 'vscode';
import type { CommandsOf } from '../commands.ts';
import { walkthrough } from '../contributions.ts';
import type { HostWindow } from '../workspace/window.ts';
import { helpText } from './help.ts';

/** @param showMarkdown opens a text in VS Code's preview */
export function createHelp(
  { context, log }: HostWindow,
  showMarkdown: (title: string, text: string) => Promise<unknown>,
): { readonly commands: CommandsOf<'help'> } {
  const { id } = context.extension;
  const manifest: unknown = context.extension.packageJSON;
  return {
    commands: {
      help: () => showMarkdown(vscode.l10n.t('Aside Help'), helpText(manifest)),
      openWalkthrough: () =>
        vscode.commands.executeCommand(
          'workbench.action.openWalkthrough',
          `${id}#${walkthrough.id}`,
        ),
      showLog: () => log.show(),
    },
  };
}
