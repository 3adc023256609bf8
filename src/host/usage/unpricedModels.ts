import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Price } from '../../core/conversation/usage.ts';
import type { ModelKeys } from '../../core/service/modelReference.ts';
import { settingIds } from '../contributions.ts';
import type { Dialogs } from '../dialogs.ts';
import type { Memento } from '../memento.ts';
import { amountProblem, readAmount } from './budgetCommand.ts';

const stateKey = 'aside.tokenLimits';
const limits = z.record(z.string(), z.number().check(z.minimum(0)));

export interface UnpricedModelsOptions {
  readonly dialogs: Dialogs;
  readonly state: Memento;
  readonly setPrice: (model: string, price: Price) => Promise<void>;
  /** The keys of a written model id, which stay when another service is current. */
  readonly keysOf: (model: string) => ModelKeys;
  readonly currency: () => string;
}

/**
 * Handles models with an unknown price if the budget is in money: the person enters the price, or
 * limits the model's tokens per day. Until then, nothing is sent.
 */
export class UnpricedModels {
  readonly #options: UnpricedModelsOptions;
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: UnpricedModelsOptions) {
    this.#options = options;
  }

  /** Daily token limit of a model; undefined if the person didn't set one. */
  limitOf(model: string): number | undefined {
    const all = this.#limits;
    const { own, general } = this.#options.keysOf(model);
    const key = [own, general].find((name) => Object.hasOwn(all, name));
    return key === undefined ? undefined : all[key];
  }

  /** Asks once for all waiting requests. Also resolves if the person cancels. */
  ask(model: string): Promise<void> {
    const asking = this.#asking.get(model) ?? this.#ask(model);
    this.#asking.set(model, asking);
    return asking.finally(() => this.#asking.delete(model));
  }

  get #limits(): Readonly<Record<string, number>> {
    const { data = {} } = limits.safeParse(this.#options.state.get(stateKey));
    return data;
  }

  async #ask(model: string): Promise<void> {
    const { dialogs } = this.#options;
    const choices = [
      {
        label: vscode.l10n.t('Enter Price…'),
        description: vscode.l10n.t('Saved in {0}', settingIds.models),
        value: 'price',
      },
      {
        label: vscode.l10n.t('Limit Tokens…'),
        description: vscode.l10n.t('for each day'),
        value: 'tokens',
      },
    ] as const;
    const title = vscode.l10n.t("The price of {0} isn't known, and your budget is in money", model);
    const chosen = await dialogs.pick<'price' | 'tokens'>(choices, title);
    if (chosen === 'price') await this.#askPrice(model);
    if (chosen === 'tokens') await this.#askLimit(model);
  }

  async #askPrice(model: string): Promise<void> {
    const { currency, setPrice } = this.#options;
    const input = await this.#amount(
      vscode.l10n.t('Price of {0}: Input', model),
      vscode.l10n.t('Price of a million tokens of prompts, in {0}.', currency()),
      'money',
    );
    if (input === undefined) return;
    const output = await this.#amount(
      vscode.l10n.t('Price of {0}: Output', model),
      vscode.l10n.t('Price of a million tokens of replies, in {0}.', currency()),
      'money',
    );
    if (output !== undefined) await setPrice(model, { input, output });
  }

  async #askLimit(model: string): Promise<void> {
    const { keysOf, state } = this.#options;
    const limit = await this.#amount(
      vscode.l10n.t('Limit Tokens of {0}', model),
      vscode.l10n.t('Tokens in prompts and replies that the model may use each day.'),
      'tokens',
    );
    if (limit !== undefined)
      await state.update(stateKey, { ...this.#limits, [keysOf(model).own]: limit });
  }

  async #amount(
    title: string,
    prompt: string,
    unit: 'tokens' | 'money',
  ): Promise<number | undefined> {
    const { dialogs } = this.#options;
    const text = await dialogs.prompt({
      title,
      prompt,
      placeholder: unit === 'tokens' ? '200,000' : '0.50',
      check: (typed) => amountProblem(typed, unit, { mayBeEmpty: false }),
    });
    return text === undefined ? undefined : readAmount(text, unit);
  }
}
