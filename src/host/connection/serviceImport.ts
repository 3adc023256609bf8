import * as vscode from 'vscode';
import { visibleName } from '../../core/support/text.ts';
import type { Dialogs } from '../dialogs.ts';
import type { FoundService } from './servicesOfOthers.ts';

export interface ServiceImportOptions {
  readonly dialogs: Dialogs;
  /** Finds services that other extensions have set up on this machine. */
  readonly find: () => Promise<readonly FoundService[]>;
  /** Removes the key from everything that is logged or shown from now on. */
  readonly guard: (key: string) => void;
}

/** Lets the person connect to a service that another extension has set up. */
export class ServiceImport {
  readonly #options: ServiceImportOptions;

  constructor(options: ServiceImportOptions) {
    this.#options = options;
  }

  /**
   * Finds settings, and shows the values to import from those that the person chooses. Undefined if
   * there are none, or the person declines. Nothing is stored or sent.
   */
  async choose(): Promise<FoundService | undefined> {
    const { dialogs, find, guard } = this.#options;
    const services = await find();
    for (const { key } of services) if (key !== undefined) guard(key);
    if (services.length === 0) {
      dialogs.showInformation(
        vscode.l10n.t(
          'No service was found in the settings of Continue, Cline, Roo Code, or VS Code.',
        ),
      );
      return undefined;
    }
    const choices = services.map((service) => ({
      label: visibleName(service.baseUrl),
      description: [service.model, service.owner]
        .flatMap((part) => (part === undefined ? [] : visibleName(part)))
        .join(' · '),
      value: service,
    }));
    const chosen = await dialogs.pick(choices, vscode.l10n.t('Services of Other Extensions'));
    return chosen !== undefined && (await this.#isWanted(chosen)) ? chosen : undefined;
  }

  async #isWanted({ baseUrl, model, key, owner, source }: FoundService): Promise<boolean> {
    const { dialogs } = this.#options;
    const connect = vscode.l10n.t('Connect');
    const lines = [
      vscode.l10n.t('Address: {0}', visibleName(baseUrl)),
      ...(model === undefined ? [] : [vscode.l10n.t('Model: {0}', visibleName(model))]),
      key === undefined
        ? vscode.l10n.t("API key: can't be read, so you'll enter it next")
        : vscode.l10n.t(
            'API key: {0}, which is sent only to this address',
            visibleName(withoutMiddle(key)),
          ),
      vscode.l10n.t('Read from: {0}', visibleName(source)),
    ];
    const answer = await dialogs.choose({
      message: vscode.l10n.t('Use these settings from {0}?', visibleName(owner)),
      detail: lines.join('\n'),
      buttons: [connect],
    });
    return answer === connect;
  }
}

/** Shortens a key, but leaves enough to recognize it. */
function withoutMiddle(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 3)}…${key.slice(-4)}`;
}
