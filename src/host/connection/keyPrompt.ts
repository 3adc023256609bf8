import type { l10n } from 'vscode';
import type { ServiceAddress } from '../../core/service/address.ts';
import type { Model } from '../../core/service/wire.ts';
import type { Dialogs, ValidationMessage } from '../dialogs.ts';
import type { ErrorText } from '../errorText.ts';
import { validateKey, judgeKey, type KeyVerdict } from './inputValidation.ts';
import type { Keys } from './keys.ts';
import type { ReadModels } from './modelCatalog.ts';

export interface KeyPromptOptions {
  readonly dialogs: Dialogs;
  readonly keys: Keys;
  readonly readModels: ReadModels;
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch;
  readonly errorText: (error: unknown) => ErrorText;
  readonly l10n: Pick<typeof l10n, 't'>;
}

/** A key that may be stored, with the models if the service returned them. */
export interface ApprovedKey {
  readonly key: string;
  readonly models?: readonly Model[] | undefined;
  /** A message for the person about the account. */
  readonly notice?: string | undefined;
}

/** The decision of the person after a key was checked. */
type Decision = ApprovedKey | 'another-key' | 'cancelled';

/**
 * Asks for a key until one is valid or the person cancels. The input is masked, unusual keys cause a
 * warning, and the service checks the key. Stores nothing.
 */
export class KeyPrompt {
  readonly #options: KeyPromptOptions;

  constructor(options: KeyPromptOptions) {
    this.#options = options;
  }

  /** @param known the stored key for this address, which an empty input keeps */
  async ask(address: ServiceAddress, known?: string): Promise<ApprovedKey | undefined> {
    for (;;) {
      const key = await this.#askOnce(address.host, known);
      if (key === undefined) return undefined;
      this.#options.keys.guard(key);
      const decision = await this.#approve(address, key, key === known);
      if (decision === 'cancelled') return undefined;
      if (decision !== 'another-key') return decision;
    }
  }

  async #askOnce(host: string, known: string | undefined): Promise<string | undefined> {
    const { dialogs, l10n } = this.#options;
    const text = await dialogs.prompt({
      title: l10n.t('API Key for {0}', host),
      prompt:
        known === undefined
          ? l10n.t('The key is sent only to {0} and is kept in secret storage.', host)
          : l10n.t('Leave empty to keep the stored key for {0}.', host),
      placeholder: 'sk-…',
      secret: true,
      check: (typed): ValidationMessage | undefined =>
        typed.trim() === '' && known !== undefined ? undefined : validateKey(typed, l10n),
    });
    const key = text?.trim();
    return key === '' ? known : key;
  }

  async #approve(address: ServiceAddress, key: string, sure: boolean): Promise<Decision> {
    if (!sure && !(await this.#confirmShape(key))) return 'another-key';
    for (;;) {
      const verdict = await this.#judge(address, key);
      if (verdict === undefined) return 'cancelled';
      const decision = await this.#decide(key, verdict);
      if (decision !== 'try-again') return decision;
    }
  }

  async #confirmShape(key: string): Promise<boolean> {
    if (key.startsWith('sk-')) return true;
    const { dialogs, l10n } = this.#options;
    const use = l10n.t('Use Key');
    const answer = await dialogs.choose({
      message: l10n.t("This key doesn't start with sk-. Use it anyway?"),
      detail: l10n.t('API keys for this kind of service usually do. This may be something else.'),
      buttons: [use],
    });
    return answer === use;
  }

  /** Undefined when the person cancelled the check. */
  async #judge(address: ServiceAddress, apiKey: string): Promise<KeyVerdict | undefined> {
    const { dialogs, fetch, l10n, readModels } = this.#options;
    const endpoint = { ...address, apiKey, fetch, demo: false };
    const title = l10n.t('Checking the key with {0}…', address.host);
    return dialogs.progress(title, async (signal) => {
      try {
        return await judgeKey(endpoint, readModels, signal);
      } catch {
        return undefined;
      }
    });
  }

  async #decide(key: string, verdict: KeyVerdict): Promise<Decision | 'try-again'> {
    switch (verdict.kind) {
      case 'accepted':
        return { key, models: verdict.models };
      case 'accepted-with-error':
        return { key, notice: this.#options.errorText(verdict.error).message };
      case 'refused':
        return this.#refuse(verdict.error);
      case 'unknown':
        return this.#askWithoutCheck(key, verdict.error);
    }
  }

  async #refuse(error: unknown): Promise<Decision> {
    const { dialogs, errorText, l10n } = this.#options;
    const button = l10n.t('Set API Key');
    const answer = await dialogs.showError(errorText(error).message, button);
    return answer === button ? 'another-key' : 'cancelled';
  }

  async #askWithoutCheck(key: string, error: unknown): Promise<Decision | 'try-again'> {
    const { dialogs, errorText, l10n } = this.#options;
    const tryAgain = l10n.t('Try Again');
    const store = l10n.t('Store Without Checking');
    const answer = await dialogs.choose({
      message: l10n.t("The key couldn't be checked."),
      detail: errorText(error).message,
      buttons: [tryAgain, store],
    });
    if (answer === tryAgain) return 'try-again';
    return answer === store ? { key } : 'cancelled';
  }
}
