/**
 * Models and options that files choose for a request, and that the person allows for each content.
 */
import * as vscode from 'vscode';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { Price } from '../../core/conversation/usage.ts';
import { hashOf } from '../../core/support/id.ts';
import { oneLine, visibleName } from '../../core/support/text.ts';
import type { Consents, ConsentQuestion, ConsentSubject } from '../approval/consents.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import { settingsOfModel } from '../platform/settingValues.ts';

/** Maximum number of characters of a model's name. */
const maxModelLength = 200;

export interface FileOffer {
  readonly path: string;
  /** The complete text of the file: another text is another offer. */
  readonly text: string;
  /** True for the user's own file, which needs consent only if it may cost more. */
  readonly isOwn: boolean;
  readonly model?: string | undefined;
  readonly options?: RequestOptions | undefined;
}

export interface AcceptedOffer {
  readonly model?: string | undefined;
  readonly options?: RequestOptions | undefined;
}

/**
 * Asks before a repository's file chooses a model or options, and before a user's own file may
 * raise the price: once for each content, with both prices.
 */
export class FileOffers {
  readonly #consents: Consents;
  readonly #dialogs: Dialogs;
  readonly #settings: Pick<CurrentSettings, 'current'>;
  readonly #lacks: (model: string) => boolean;
  readonly #reportedModels = new Set<string>();

  /** @param lacks true if the service is known not to have a model */
  constructor(
    consents: Consents,
    dialogs: Dialogs,
    settings: Pick<CurrentSettings, 'current'>,
    lacks: (model: string) => boolean,
  ) {
    this.#consents = consents;
    this.#dialogs = dialogs;
    this.#settings = settings;
    this.#lacks = lacks;
  }

  /**
   * Asks which choices of an offer to use, if necessary. Undefined if the person cancels.
   * @param current the model that would be used without it
   */
  async accept(offer: FileOffer, current: string): Promise<AcceptedOffer | undefined> {
    this.#tellOfMissing(offer, current);
    const wanted = this.#wanted(offer, current);
    if (!this.#needsConsent(offer, wanted, current)) return wanted;
    const question = this.#question(offer, wanted, current);
    return usedOf(await this.#consents.allows(await subjectOf(offer), question), wanted);
  }

  /** The choices that need no question; undefined if the person must be asked. */
  async known(offer: FileOffer, current: string): Promise<AcceptedOffer | undefined> {
    const wanted = this.#wanted(offer, current);
    if (!this.#needsConsent(offer, wanted, current)) return wanted;
    return usedOf(await this.#consents.known(await subjectOf(offer)), wanted);
  }

  /** Drops a model that is the current one, or that the service does not have. */
  #wanted({ model, options }: FileOffer, current: string): AcceptedOffer {
    const isSet = Object.values(options ?? {}).some((value) => value !== undefined);
    const others = isSet ? { options } : {};
    const isOther = model !== undefined && model !== current && !this.#isMissing(model);
    return isOther ? { model, ...others } : others;
  }

  #isMissing(model: string): boolean {
    return model.length > maxModelLength || this.#lacks(model);
  }

  #tellOfMissing({ path, model }: FileOffer, current: string): void {
    if (model === undefined || model === current || !this.#isMissing(model)) return;
    const name = oneLine(visibleName(model), maxModelLength);
    const message = vscode.l10n.t(
      "{0} asks for the model {1}, which isn't available.",
      visibleName(path),
      name,
    );
    if (this.#reportedModels.has(message)) return;
    this.#reportedModels.add(message);
    this.#dialogs.showInformation(message);
  }

  #needsConsent({ isOwn }: FileOffer, { model, options }: AcceptedOffer, current: string): boolean {
    if (!isOwn) return model !== undefined || options !== undefined;
    return model !== undefined && mayCostMore(this.#priceOf(current), this.#priceOf(model));
  }

  #question(
    { path }: FileOffer,
    { model, options }: AcceptedOffer,
    current: string,
  ): ConsentQuestion {
    const { temperature, topP, maxTokens } = options ?? {};
    const lines = [
      ...(model === undefined ? [] : [this.#priceLine(model), this.#priceLine(current)]),
      // Labeled with the names of the settings.
      ...Object.entries({ temperature, topP, maxTokens }).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}: ${value}`],
      ),
    ];
    const detail = lines.join('\n');
    if (model === undefined)
      return {
        message: vscode.l10n.t('Apply options from {0}?', visibleName(path)),
        detail,
        yes: vscode.l10n.t('Use'),
        no: vscode.l10n.t("Don't Use"),
      };
    const name = visibleName(model);
    return {
      message: vscode.l10n.t('Use {0} for {1}?', name, visibleName(path)),
      detail,
      yes: vscode.l10n.t('Use {0}', name),
      no: vscode.l10n.t('Keep {0}', visibleName(current)),
    };
  }

  #priceOf(model: string): Price | undefined {
    return settingsOfModel(this.#settings.current(), model).price;
  }

  #priceLine(model: string): string {
    const price = this.#priceOf(model);
    const { currency } = this.#settings.current();
    const name = visibleName(model);
    if (price === undefined) return vscode.l10n.t('{0}: price unknown', name);
    const [input, output] = [price.input, price.output].map((cost) => currency + String(cost));
    return vscode.l10n.t(
      '{0}: {1} input, {2} output per million tokens',
      name,
      input ?? '',
      output ?? '',
    );
  }
}

/** Another text of the file is another subject. */
async function subjectOf({ path, text, isOwn }: FileOffer): Promise<ConsentSubject> {
  return { kind: 'offer', path, hash: await hashOf(new TextEncoder().encode(text)), isOwn };
}

function usedOf(isUsed: boolean | undefined, wanted: AcceptedOffer): AcceptedOffer | undefined {
  return isUsed === undefined ? undefined : isUsed ? wanted : {};
}

/** Also true if one of the prices is unknown. */
export function mayCostMore(before: Price | undefined, after: Price | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return after.input > before.input || after.output > before.output;
}
