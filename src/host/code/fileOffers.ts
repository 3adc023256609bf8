/** Models and options that files choose for a request, which the person allows for each content. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { Price } from '../../core/conversation/usage.ts';
import { hashOf } from '../../core/support/id.ts';
import { oneLine, visibleName } from '../../core/support/text.ts';
import type { Dialogs } from '../dialogs.ts';
import type { Memento } from '../memento.ts';

const keyPrefix = 'aside.fileOffers ';
/** Maximum number of stored decisions for a workspace; the oldest are dropped first. */
const maxDecisions = 200;
/** Maximum number of characters of a model's name. */
const maxModelLength = 200;

const decision = z.object({ path: z.string(), hash: z.string(), isUsed: z.boolean() });
const record = z.object({ version: z.literal(1), files: z.array(decision) });
type OfferDecision = z.infer<typeof decision>;

/** A file that asks for a model or options. */
export interface FileOffer {
  /** The path as the person sees it. */
  readonly path: string;
  /** The complete text of the file: another text is another offer. */
  readonly text: string;
  /** True for the person's own file, which needs consent only if it may cost more. */
  readonly isOwn: boolean;
  readonly model?: string | undefined;
  readonly options?: RequestOptions | undefined;
}

/** The accepted choices of an offer. */
export interface AcceptedOffer {
  readonly model?: string | undefined;
  readonly options?: RequestOptions | undefined;
}

interface FileOffersOptions {
  readonly state: Memento;
  /** The identity of this workspace; empty if it has none, and then no decision is stored. */
  readonly workspace: () => Promise<string>;
  readonly dialogs: Pick<Dialogs, 'decide' | 'showInformation'>;
  readonly priceOf: (model: string) => Price | undefined;
  readonly currency: () => string;
  /** True if the service is known not to have the model. */
  readonly lacks: (model: string) => boolean;
}

/**
 * Asks before a file of a repository chooses a model or options, and before one of the person's own
 * may raise the price: once for each content, with both prices.
 */
export class FileOffers {
  readonly #options: FileOffersOptions;
  /** Decisions of this window, for workspaces without an identity. */
  readonly #made = new Map<string, readonly OfferDecision[]>();
  /** The unavailable models that the person was told about. */
  readonly #reportedModels = new Set<string>();

  constructor(options: FileOffersOptions) {
    this.#options = options;
  }

  /**
   * Asks which choices of an offer to use, if necessary. Undefined if the person cancels.
   * @param current the model that would be used without it
   */
  async accept(offer: FileOffer, current: string): Promise<AcceptedOffer | undefined> {
    this.#tellOfMissing(offer, current);
    const known = await this.known(offer, current);
    if (known !== undefined) return known;
    const wanted = this.#wanted(offer, current);
    const isUsed = await this.#ask(offer, wanted, current);
    if (isUsed === undefined) return undefined;
    await this.#remember(await this.#scopeOf(offer), {
      path: offer.path,
      hash: await hashOfText(offer.text),
      isUsed,
    });
    return isUsed ? wanted : {};
  }

  /** The choices that need no question; undefined if the person must be asked. */
  async known(offer: FileOffer, current: string): Promise<AcceptedOffer | undefined> {
    const wanted = this.#wanted(offer, current);
    if (!this.#isAsked(offer, wanted, current)) return wanted;
    const hash = await hashOfText(offer.text);
    const decisions = this.#decisions(await this.#scopeOf(offer));
    const earlier = decisions.find(
      (candidate) => candidate.path === offer.path && candidate.hash === hash,
    );
    return earlier && (earlier.isUsed ? wanted : {});
  }

  /** Drops a model that is the current one, or that the service does not have. */
  #wanted({ model, options }: FileOffer, current: string): AcceptedOffer {
    const isSet = Object.values(options ?? {}).some((value) => value !== undefined);
    const others = isSet ? { options } : {};
    const isOther = model !== undefined && model !== current && !this.#isMissing(model);
    return isOther ? { model, ...others } : others;
  }

  #isMissing(model: string): boolean {
    return model.length > maxModelLength || this.#options.lacks(model);
  }

  #tellOfMissing({ path, model }: FileOffer, current: string): void {
    if (model === undefined || model === current || !this.#isMissing(model)) return;
    const { dialogs } = this.#options;
    const name = oneLine(visibleName(model), maxModelLength);
    const message = vscode.l10n.t(
      "{0} asks for the model {1}, which isn't available.",
      visibleName(path),
      name,
    );
    if (this.#reportedModels.has(message)) return;
    this.#reportedModels.add(message);
    dialogs.showInformation(message);
  }

  #isAsked({ isOwn }: FileOffer, { model, options }: AcceptedOffer, current: string): boolean {
    if (!isOwn) return model !== undefined || options !== undefined;
    const { priceOf } = this.#options;
    return model !== undefined && mayCostMore(priceOf(current), priceOf(model));
  }

  #ask(
    { path }: FileOffer,
    { model, options }: AcceptedOffer,
    current: string,
  ): Promise<boolean | undefined> {
    const { dialogs } = this.#options;
    const lines = [
      ...(model === undefined ? [] : [this.#priceLine(model), this.#priceLine(current)]),
      ...optionLines(options ?? {}),
    ];
    if (model === undefined) {
      return dialogs.decide(
        vscode.l10n.t('Apply options from {0}?', visibleName(path)),
        lines.join('\n'),
        vscode.l10n.t('Use'),
        vscode.l10n.t("Don't Use"),
      );
    }
    const name = visibleName(model);
    return dialogs.decide(
      vscode.l10n.t('Use {0} for {1}?', name, visibleName(path)),
      lines.join('\n'),
      vscode.l10n.t('Use {0}', name),
      vscode.l10n.t('Keep {0}', visibleName(current)),
    );
  }

  #priceLine(model: string): string {
    const { priceOf, currency } = this.#options;
    const price = priceOf(model);
    const name = visibleName(model);
    if (price === undefined) return vscode.l10n.t('{0}: price unknown', name);
    const [input, output] = [price.input, price.output].map((cost) => currency() + String(cost));
    return vscode.l10n.t(
      '{0}: {1} input, {2} output per million tokens',
      name,
      input ?? '',
      output ?? '',
    );
  }

  async #scopeOf({ isOwn }: FileOffer): Promise<string> {
    return isOwn ? 'own' : this.#options.workspace();
  }

  #decisions(scope: string): readonly OfferDecision[] {
    const stored = this.#options.state.get(keyPrefix + scope);
    return this.#made.get(scope) ?? record.safeParse(stored).data?.files ?? [];
  }

  async #remember(scope: string, made: OfferDecision): Promise<void> {
    const others = this.#decisions(scope).filter(({ path }) => path !== made.path);
    const files = [...others, made].slice(-maxDecisions);
    this.#made.set(scope, files);
    // A workspace without an identity could be any: its decisions end with the window.
    if (scope !== '') await this.#options.state.update(keyPrefix + scope, { version: 1, files });
  }
}

function hashOfText(text: string): Promise<string> {
  return hashOf(new TextEncoder().encode(text));
}

/** True also if one of the prices is unknown. */
export function mayCostMore(before: Price | undefined, after: Price | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return after.input > before.input || after.output > before.output;
}

/** Names options as the settings do, which people know. */
function optionLines({ temperature, topP, maxTokens }: RequestOptions): readonly string[] {
  return Object.entries({ temperature, topP, maxTokens }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
}
