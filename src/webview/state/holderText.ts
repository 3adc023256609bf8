import * as l10n from '@vscode/l10n';

/** @param name workspace of the window that writes the chat; empty if unknown */
export function holderText(name: string): string {
  return name === ''
    ? l10n.t('This chat is open in another window. View only.')
    : l10n.t('This chat is open in another window ({0}). View only.', name);
}
