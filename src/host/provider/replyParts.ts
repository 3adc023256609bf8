import * as vscode from 'vscode';
import type { TurnEnd, TurnEvent } from '../../core/conversation/events.ts';
import type { Usage } from '../../core/conversation/usage.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { UserError } from '../errors.ts';

/** Type of the part with the usage of a reply, which VS Code's own chat reads. */
const usageType = 'usage';

type Call = Extract<TurnEvent, { type: 'tool-call-end' }>['call'];

/**
 * Reports a reply to the requesting extension as it arrives. Reasoning is omitted, since VS Code
 * has no part for it yet. Calls are reported when the reply is complete.
 */
export class ReplyParts {
  readonly #progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly #calls: Call[] = [];

  constructor(progress: vscode.Progress<vscode.LanguageModelResponsePart>) {
    this.#progress = progress;
  }

  add(event: TurnEvent): void {
    if (event.type === 'text-delta')
      this.#progress.report(new vscode.LanguageModelTextPart(event.text));
    else if (event.type === 'usage') this.#progress.report(usagePart(event.usage));
    else if (event.type === 'tool-call-end') this.#calls.push(event.call);
  }

  /**
   * Called when the reply was read to its end.
   *
   * @throws {UserError} if a part of it is missing, so that its calls aren't what the model
   * intended
   */
  end({ finishReason, malformedEvents = 0 }: TurnEnd): void {
    if (finishReason === 'content_filter')
      throw new UserError(vscode.l10n.t('The content filter of the service stopped the reply.'));
    if (malformedEvents > 0)
      throw new UserError(vscode.l10n.t('The reply was cut off. Try again.'));
    if (finishReason === 'length' && this.#calls.length > 0)
      throw new UserError(vscode.l10n.t('The reply reached the maximum length.'));
    for (const part of this.#calls.map(callPart)) this.#progress.report(part);
  }
}

function callPart({ id, name, arguments: json }: Call): vscode.LanguageModelToolCallPart {
  const input = json.trim() === '' ? {} : parseJson(json);
  if (isObject(input)) return new vscode.LanguageModelToolCallPart(id, name, input);
  throw new UserError(
    vscode.l10n.t("The model called {0} with arguments that aren't valid JSON. Try again.", name),
  );
}

/** Usage with the service's field names, which VS Code's own chat reads. */
function usagePart(usage: Usage): vscode.LanguageModelDataPart {
  const { prompt_tokens, completion_tokens, total_tokens, cached_tokens, estimated } = usage;
  return vscode.LanguageModelDataPart.json(
    {
      prompt_tokens,
      completion_tokens,
      total_tokens,
      prompt_tokens_details: { cached_tokens },
      ...(estimated ? { estimated } : {}),
    },
    usageType,
  );
}
