import * as vscode from 'vscode';
import type { Price } from '../../core/conversation/usage.ts';
import type { Dialogs } from '../dialogs.ts';
import { amountProblem, readAmount } from './budgetCommand.ts';

interface PriceSettings {
  current(): { readonly currency: string };
  setPrice(model: string, price: Price): Promise<void>;
}

/** Asks for the prices of models that a budget in money needs. Until then, nothing is sent. */
export class UnpricedModels {
  readonly #dialogs: Dialogs;
  readonly #settings: PriceSettings;
  readonly #asking = new Map<string, Promise<void>>();

  constructor(dialogs: Dialogs, settings: PriceSettings) {
    this.#dialogs = dialogs;
    this.#settings = settings;
  }

  /** Asks once for all waiting requests. Also resolves if the person cancels. */
  ask(model: string): Promise<void> {
    const asking = this.#asking.get(model) ?? this.#ask(model);
    this.#asking.set(model, asking);
    return asking.finally(() => this.#asking.delete(model));
  }

  async #ask(model: string): Promise<void> {
    const { currency } = this.#settings.current();
    const amount = async (prompt: string): Promise<number | undefined> => {
      const text = await this.#dialogs.prompt({
        title: vscode.l10n.t("The price of {0} isn't known, and your budget is in money", model),
        prompt,
        placeholder: '0.50',
        check: (typed) => amountProblem(typed, 'money'),
      });
      return text === undefined ? undefined : readAmount(text, 'money');
    };
    const input = await amount(
      vscode.l10n.t('Price of a million tokens of prompts, in {0}.', currency),
    );
    if (input === undefined) return;
    const output = await amount(
      vscode.l10n.t('Price of a million tokens of replies, in {0}.', currency),
    );
    if (output !== undefined) await this.#settings.setPrice(model, { input, output });
  }
}
