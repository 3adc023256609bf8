import * as vscode from 'vscode';

/** The box of **Edit…**, with the person's answer: undefined if they close it. */
export interface InstructionBox {
  readonly box: vscode.QuickPick<vscode.QuickPickItem>;
  readonly answer: Promise<string | undefined>;
}

/**
 * Opens the box. It is in the script that runs at startup, so that it opens on the key press: keys
 * typed while other modules are loaded would replace the selected code. It uses no other module for
 * the same reason.
 */
export function openInstructionBox(): InstructionBox {
  const box = vscode.window.createQuickPick();
  box.title = vscode.l10n.t('Edit');
  box.placeholder = vscode.l10n.t('Describe the change, for example: handle an empty list');
  const answer = new Promise<string | undefined>((resolve) => {
    box.onDidAccept(() => {
      // An active item may no longer match the typed text.
      resolve(box.items.find((item) => item === box.activeItems[0])?.label ?? box.value);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
  });
  box.show();
  return { box, answer };
}
