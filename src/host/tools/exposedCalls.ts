import * as vscode from 'vscode';
import { withSignal } from '../../core/support/async.ts';
import { newId } from '../../core/support/id.ts';
import { oneLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { exposedToolName } from '../../core/tools/exposedTools.ts';
import type { CheckedCall, Toolbox } from '../../core/tools/toolbox.ts';
import type { EnabledTools } from './enabledTools.ts';

/** A built-in read-only tool that is exposed to other chats. Its calls pass the same gate. */
export class ExposedTool implements vscode.LanguageModelTool<unknown> {
  readonly #name: string;
  readonly #toolbox: Toolbox;
  readonly #enabledTools: EnabledTools;
  readonly #isEnabled: () => boolean;
  readonly #log: (line: string) => void;

  /**
   * @param isEnabled false if the person turned off all tools in the settings
   * @param log writes a line to the log, since no chat of Aside shows these calls (threats: I10)
   */
  constructor(
    name: string,
    toolbox: Toolbox,
    enabledTools: EnabledTools,
    isEnabled: () => boolean,
    log: (line: string) => void,
  ) {
    this.#name = name;
    this.#toolbox = toolbox;
    this.#enabledTools = enabledTools;
    this.#isEnabled = isEnabled;
    this.#log = log;
  }

  prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<unknown>):
    | vscode.PreparedToolInvocation
    | undefined {
    const checked = this.#refusal === undefined ? this.#check(input) : undefined;
    if (checked === undefined || 'refused' in checked) return undefined;
    // The title contains model text, which must not be rendered as links.
    return { invocationMessage: new vscode.MarkdownString().appendText(checked.call.title) };
  }

  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<unknown>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const text = await withSignal(token, (signal) => this.call(input, signal));
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  /**
   * Runs a call of another chat, which has no approvals, and can't use those of Aside's chats
   * (threats: T45). Each call writes a line to the log.
   *
   * @returns the result for the other chat's model
   * @throws {Error} with a message for it
   */
  async call(input: unknown, signal: AbortSignal): Promise<string> {
    const checked = this.#check(input);
    const title = 'call' in checked ? checked.call.title : this.#name;
    const note = (outcome: string): void =>
      this.#log(
        `Another chat called ${exposedToolName(this.#name)} (${oneLine(title, 200)}): ${outcome}`,
      );
    try {
      const reason = this.#refusal;
      if (reason !== undefined) throw new ToolError(reason, 'denied');
      if ('refused' in checked) throw new ToolError(checked.refused.text);
      const { outcome, text } = await this.#toolbox.run(checked.tool, checked.call, {
        conversation: undefined,
        turn: 'other chat',
        call: newId(),
        signal,
        requestApproval(request, requestAnswer) {
          if (request.by === 'dialog') return requestAnswer(signal);
          throw new ToolError("This works only in Aside's own chat.", 'denied');
        },
        print: () => undefined,
        runsUnder: () => undefined,
      });
      if (outcome !== 'done') throw new ToolError(text, outcome === 'denied' ? 'denied' : 'failed');
      note('done');
      return text;
    } catch (error) {
      note(error instanceof ToolError ? error.outcome : 'stopped');
      throw error;
    }
  }

  #check(input: unknown): CheckedCall {
    let json: string;
    try {
      json = JSON.stringify([input ?? {}]).slice(1, -1);
    } catch {
      // It isn't JSON, such as a cyclic object.
      json = 'null';
    }
    return this.#toolbox.check(this.#name, json);
  }

  get #refusal(): string | undefined {
    if (!vscode.workspace.isTrusted) return 'The person does not trust this workspace.';
    if (!this.#isEnabled()) return "The person turned off Aside's tools.";
    const isUsed = this.#enabledTools.isOwnEnabled(this.#name);
    return isUsed ? undefined : 'The person turned off this tool.';
  }
}
