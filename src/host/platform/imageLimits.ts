import * as vscode from 'vscode';
import type { AttachedImage } from '../../core/conversation/conversation.ts';
import { maxImageBytes, maxMessageImageBytes, maxMessageImages } from '../../core/support/image.ts';
import { settingIds } from '../contributions.ts';
import { UserError } from './errors.ts';
import type { ModelSettings } from './settingValues.ts';

/**
 * Rejects images unless the service or the settings say that the model supports them.
 *
 * @throws {UserError}
 */
export function requireImageInput(model: string, { images }: Partial<ModelSettings>): void {
  if (images === true) return;
  if (model === '') throw new UserError(vscode.l10n.t('Select a model that accepts images first.'));
  throw new UserError(
    images === false
      ? vscode.l10n.t('{0} accepts text only. Select another model to send images.', model)
      : vscode.l10n.t(
          "It isn't known whether {0} accepts images. If it does, set “images” for it in the setting {1}. Otherwise select another model.",
          model,
          settingIds.models,
        ),
  );
}

/**
 * Rejects an image that is too large, or one too many.
 * @param others the images that the message has
 * @throws {UserError}
 */
export function requireImageRoom(size: number, others: readonly AttachedImage[]): void {
  if (size > maxImageBytes) throw new UserError(vscode.l10n.t('Images can be up to 5 MB.'));
  if (others.length >= maxMessageImages)
    throw new UserError(vscode.l10n.t('A message can have up to {0} images.', maxMessageImages));
  const sum = others.reduce((bytes, image) => bytes + image.size, size);
  if (sum > maxMessageImageBytes)
    throw new UserError(vscode.l10n.t('The images of a message can have up to 20 MB together.'));
}
