import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { partKey, type PartChoices } from '../../core/conversation/partChoices.ts';
import { pathOf } from '../../core/conversation/paths.ts';
import { ratesAt, tokensPerPrice, usageCost, zeroUsage } from '../../core/conversation/usage.ts';
import { costPerToken } from '../../core/service/budget.ts';
import { chosenTools, isAttachmentLeftOut, sentBefore } from '../../core/turn/sentTurns.ts';
import { imageCharacters } from '../../core/support/image.ts';
import { buildRequest, formatEarlierAttachments, toolCharacters } from '../../core/turn/prompt.ts';
import { promptCharacters } from '../../core/service/requestUsage.ts';
import type { AttachmentChip, ModelPrices, SendBudget, SendCost } from '../../protocol/messages.ts';
import { attachmentIcons, instructionSettingChipId } from '../attachments/contextChips.ts';
import type { EstimateSend, SendEstimate } from '../service/modelPicker.ts';
import { settingsOfModel, type SettingValues } from '../platform/settingValues.ts';
import type { ToolAccess } from '../service/models.ts';
import type { ChatAccount } from '../usage/requestAdmission.ts';
import type { BudgetLeft } from '../usage/requestAdmission.ts';
import type { Chat } from './chat.ts';
import type { TurnPreview } from '../../core/turn/nextTurn.ts';

/** What the cost of a message depends on, besides its chat. */
export interface CostWindow {
  readonly settings: { current(): SettingValues };
  readonly toolAccess: Pick<ToolAccess, 'obstacle'>;
  readonly service: {
    /** The remainder of the tightest budget; undefined without a budget. */
    budgetLeft(chat: ChatAccount, model: string): BudgetLeft | undefined;
  };
}

/** A message that can be sent. */
interface EstimatedMessage {
  readonly attachments: readonly Attachment[];
  readonly contextChips: readonly AttachmentChip[];
  /** Text of the message; absent where it isn't typed yet. */
  readonly draft?: string;
}

/** The chat of the message. */
type EstimatedChat = Pick<
  Chat,
  'account' | 'conversation' | 'definitions' | 'mode' | 'preview' | 'tokensOf'
> & { readonly preset: { readonly model: { current(): { readonly id: string } } } };

export interface NextSend {
  readonly cost: SendCost;
  readonly attachments: readonly AttachmentChip[];
}

/** What the tokens and the cost of a request depend on, besides its model. */
interface RequestSize {
  readonly characters: number;
  readonly toolCharacters: number;
  readonly images: number;
}

/** Approximate number of characters of the built-in tools, until a request with them was made. */
const charactersOfTools = { ask: 2600, agent: 4500 };
const sample = 100_000;

/** Estimates the next request, again only when an input has changed. */
export class SendCostEstimator {
  readonly #chat: EstimatedChat;
  readonly #message: EstimatedMessage;
  readonly #window: CostWindow;
  #seen: readonly unknown[] = [];
  #next: NextSend | undefined;
  #definitions: readonly ToolDefinition[] | undefined;
  #mode: ChatMode | undefined;

  constructor(chat: EstimatedChat, message: EstimatedMessage, window: CostWindow) {
    this.#chat = chat;
    this.#message = message;
    this.#window = window;
  }

  /** @param replaced the turn that the message replaces; undefined for the next message */
  current(replaced?: string): NextSend {
    const { conversation, mode, preset } = this.#chat;
    const { turns, running, options, summaries, partChoices } = conversation;
    const { attachments, contextChips } = this.#message;
    const { id } = preset.model.current();
    const chosen = [options, summaries, partChoices];
    const instructions = contextChips.filter((chip) => chip.isInstructions === true);
    const seen: readonly unknown[] = [
      ...[turns, running?.id, ...chosen, attachments, id, replaced],
      ...[this.#window.settings.current(), JSON.stringify(instructions), mode],
    ];
    const isSame = seen.every((value, index) => value === this.#seen[index]);
    if (this.#next === undefined || !isSame) this.#next = this.#compute(id, replaced);
    this.#seen = seen;
    // The budget changes with each request of any window, and the suggested context, which isn't
    // part of the request, with each selection.
    const budget = this.#budget(id, this.#next.cost.tokens);
    return {
      cost: { ...this.#next.cost, ...(budget && { budget }) },
      attachments: [
        ...contextChips.map((chip) => instructionsChip(chip, partChoices)),
        ...this.#next.attachments,
      ],
    };
  }

  /** Cost of sending a message to each of the models, without replies. */
  ofModels(message: UserMessage, models: readonly string[]): SendEstimate {
    const sends = models.map((model) => this.#estimateOf(model, this.#sizeOf(message, model)));
    const costs = sends.flatMap(({ cost }) => cost ?? []);
    return {
      tokens: sends.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: costs.length === models.length ? costs.reduce((sum, cost) => sum + cost, 0) : undefined,
    };
  }

  /**
   * Estimates sending the composer's message to one model after another. The request is built only
   * once, as for the chat's model, since there may be thousands of models.
   */
  inModels(): EstimateSend {
    const { attachments, draft = '' } = this.#message;
    const { id } = this.#chat.preset.model.current();
    const size = this.#sizeOf({ text: draft, attachments }, id);
    return (other) => this.#estimateOf(other, size);
  }

  /** Prices of the models that have replied; undefined if no price is known. */
  prices(): ModelPrices | undefined {
    const { settings } = this.#window;
    const byModel = [...new Set(pathOf(this.#chat.conversation).map(({ model }) => model))].flatMap(
      (model) => {
        const { price } = settingsOfModel(settings.current(), model);
        return price === undefined ? [] : [[model, price] as const];
      },
    );
    if (byModel.length === 0) return undefined;
    return { currency: settings.current().currency, byModel: Object.fromEntries(byModel) };
  }

  #sizeOf(message: UserMessage, model: string): RequestSize {
    const preview = this.#chat.preview(message, model);
    const request = buildRequest(preview.conversation, preview.turn, preview.settings);
    const isJson = request.response_format !== undefined;
    return {
      characters: promptCharacters(request),
      toolCharacters: isJson ? 0 : this.#charactersOfTools(),
      images: request.messages.flatMap((sent) => (sent.role === 'user' ? (sent.images ?? []) : []))
        .length,
    };
  }

  #estimateOf(model: string, size: RequestSize): SendEstimate {
    const { toolAccess, settings } = this.#window;
    const tools = toolAccess.obstacle(model) === undefined ? size.toolCharacters : 0;
    const tokens = this.#chat.tokensOf(model, size.characters + tools);
    const { price } = settingsOfModel(settings.current(), model);
    const usage = { ...zeroUsage, prompt_tokens: tokens, requests: 1 };
    return { tokens, cost: price && usageCost(usage, price, size.images) };
  }

  #compute(model: string, replaced: string | undefined): NextSend {
    const { settings, toolAccess } = this.#window;
    const chat = this.#chat;
    const tokens = (characters: number): number => chat.tokensOf(model, characters);
    const { attachments } = this.#message;
    const preview = chat.preview({ text: '', attachments }, model, replaced);
    const request = buildRequest(preview.conversation, preview.turn, preview.settings);
    const mayHaveTools = chat.mode !== 'chat' && toolAccess.obstacle(model) === undefined;
    const hasSome = mayHaveTools && request.response_format === undefined;
    const tools = hasSome ? this.#charactersOfTools() : 0;
    const leftOut = leftOutOf(preview);
    const { currency } = settings.current();
    const { contextWindow, price } = settingsOfModel(settings.current(), model);
    const prompt = tokens(promptCharacters(request) + tools);
    return {
      cost: {
        tokens: prompt,
        ...(hasSome ? { toolTokens: tokens(tools) } : {}),
        perCharacter: tokens(sample) / sample,
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(leftOut && { leftOut }),
        ...(price && { price: ratesAt(price, prompt).input / tokensPerPrice, currency }),
      },
      attachments: chipsOf(preview, tokens),
    };
  }

  #budget(model: string, promptTokens: number): SendBudget | undefined {
    const { settings, service } = this.#window;
    const remaining = service.budgetLeft(this.#chat.account, model);
    if (remaining === undefined) return undefined;
    const { margin, ...budget } = remaining;
    const { price } = settingsOfModel(settings.current(), model);
    const cost = costPerToken(budget.unit, price, promptTokens);
    return cost && { ...budget, perToken: cost.prompt * margin };
  }

  #charactersOfTools(): number {
    const { definitions, conversation, mode } = this.#chat;
    if (mode === 'chat') return 0;
    // The tools of another mode are no estimate for this one.
    if (definitions !== this.#definitions) {
      this.#definitions = definitions;
      this.#mode = mode;
    }
    if (definitions === undefined || definitions.length === 0 || mode !== this.#mode)
      return charactersOfTools[mode];
    return toolCharacters(chosenTools(definitions, conversation.partChoices));
  }
}

/** Parts of a chat that are omitted from the request or shortened. */
function leftOutOf({ conversation, turn }: TurnPreview): SendCost['leftOut'] {
  const { turns, summary, ...before } = sentBefore(conversation, turn);
  const summarized = summary === undefined ? 0 : before.summarized;
  const { firstSent, ...uncut } = turn;
  const isCut = firstSent !== undefined;
  const omitted = isCut ? sentBefore(conversation, uncut).turns.length - turns.length : 0;
  const leftOut = {
    ...(omitted > 0 ? { turns: omitted } : {}),
    ...(turns.some(({ hasShortResults }) => hasShortResults) ? { results: true } : {}),
    ...(summarized > 0 ? { summarized } : {}),
  };
  return Object.keys(leftOut).length === 0 ? undefined : leftOut;
}

function instructionsChip(chip: AttachmentChip, choices: PartChoices | undefined): AttachmentChip {
  if (choices === undefined || chip.isInstructions !== true || chip.state === 'offered')
    return chip;
  const isOwn = chip.id === instructionSettingChipId;
  const key = isOwn ? partKey.instructions : partKey.file(chip.path);
  return choices[key] === 'left-out' ? { ...chip, state: 'left-out' } : chip;
}

function chipsOf(
  { conversation, turn }: TurnPreview,
  tokensOf: (characters: number) => number,
): readonly AttachmentChip[] {
  const attached = formatEarlierAttachments(conversation, turn);
  return turn.question.attachments.map((attachment) => {
    const { id, name, path, kind = 'file' } = attachment;
    const isLeftOut = isAttachmentLeftOut(attachment, turn.partChoices);
    const state: AttachmentChip['state'] = isLeftOut ? 'left-out' : attached.stateOf(attachment);
    const { image } = attachment;
    const length = isLeftOut ? 0 : attached.format(attachment).length;
    const characters = image === undefined || isLeftOut ? length : imageCharacters(image);
    const tokens = state === 'unchanged' ? 0 : tokensOf(characters);
    const chip = { id, name, path, icon: attachmentIcons[kind], tokens, state };
    if (image !== undefined)
      return { ...chip, image: image.hash, isOriginal: image.isOriginal === true };
    return kind === 'pasted' ? { ...chip, isPasted: true } : chip;
  });
}
