import * as l10n from '@vscode/l10n';
import { revealInvisible } from '../../core/support/text.ts';
import type { AttachmentChip, PanelState } from '../../protocol/messages.ts';
import { modeName } from '../composer/modeButton.tsx';
import { holderText } from '../state/holderText.ts';

/**
 * The announcement of changes to the panel that a person can't see otherwise. Removed attachments
 * are announced by the action instead, since sending a message also removes its attachments.
 */
export function panelChanges(before: PanelState, after: PanelState): string {
  const texts = [
    after.mode === before.mode ? '' : l10n.t('Mode: {0}', modeName(after.mode)),
    [before.model.id, ''].includes(after.model.id) ? '' : l10n.t('Model: {0}', after.model.id),
    heldText(before, after),
    after.notice === before.notice ? '' : (after.notice ?? ''),
    attachedText(before, after),
    after.queued.length > before.queued.length ? l10n.t('Added to the queue') : '',
  ];
  return texts.filter((text) => text !== '').join('\n');
}

function heldText({ heldBy: before }: PanelState, { heldBy: after }: PanelState): string {
  if (before === undefined) return after === undefined ? '' : holderText(after);
  return after === undefined ? l10n.t('This chat is no longer open in another window.') : '';
}

function attachedText(before: PanelState, after: PanelState): string {
  const known = new Set(attachedIn(before).map(({ id }) => id));
  const added = attachedIn(after).filter(({ id }) => !known.has(id));
  if (added.length === 0) return '';
  return l10n.t('Attached: {0}', added.map(({ name }) => revealInvisible(name).text).join(', '));
}

function attachedIn({ attachments }: PanelState): readonly AttachmentChip[] {
  return attachments.filter(({ state }) => state !== 'offered');
}
