import type { l10n } from 'vscode';
import { visibleText } from '../../core/tools/dialogText.ts';
import type { Grant, Offer } from '../../core/tools/grantScope.ts';
import { writtenPath } from '../../core/tools/places.ts';

type L10n = Pick<typeof l10n, 't'>;

/** The button of an offer. */
export function offerButton({ lifetime, scope }: Offer, l10n: L10n): string {
  if (lifetime === 'workspace') return l10n.t('Always Allow in This Workspace');
  return scope.type === 'folder'
    ? l10n.t('Allow Folder in This Chat')
    : l10n.t('Allow in This Chat');
}

/** Names a grant: on the card of a call that ran under it, and where grants are revoked. */
export function grantWords({ lifetime, scope }: Grant, l10n: L10n): string {
  switch (scope.type) {
    case 'edits':
      return l10n.t('Edits of unprotected files in this chat');
    case 'file':
      return l10n.t('Reading {0} in this chat', visibleText(writtenPath(scope.file)));
    case 'folder':
      return l10n.t('Reading in {0} in this chat', visibleText(writtenPath(scope.folder)));
    case 'command':
      return lifetime === 'workspace'
        ? l10n.t('Always in this workspace: {0}', visibleText(scope.command))
        : l10n.t('In this chat: {0}', visibleText(scope.command));
    case 'tool':
      return l10n.t('The tool {0} in this chat', visibleText(scope.tool));
  }
}
