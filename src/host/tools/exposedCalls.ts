import * as vscode from 'vscode';
import { withSignal } from '../../core/support/async.ts';
import { newId } from '../../core/support/id.ts';
import { oneLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { exposedToolName } from '../../core/tools/exposedTools.ts';
import type { RequestApproval, ToolContext } from '../../core/tools/tool.ts';
import type { CheckedCall, Toolbox } from '../../core/tools/toolbox.ts';

interface ExposedToolOptions {
  readonly toolbox: Toolbox;
  readonly isEnabled: () => boolean;
  /** True if the person enabled this tool in Manage Tools. */
  readonly isOwnEnabled: (name: string) => boolean;
  /** Writes a line to the log, since no chat of Aside shows these calls (threats: I10). */
  readonly log: (line: string) => void;
}

/** A built-in read-only tool that is exposed to other chats. Its calls pass the same gate. */
export function createExposedTool(
  name: string,
  options: ExposedToolOptions,
): vscode.LanguageModelTool<unknown> {
  return {
    prepareInvocation({ input }) {
      if (refusal(name, options) !== undefined) return undefined;
      const checked = check(name, input, options);
      if ('refused' in checked) return undefined;
      // The title contains model text, which must not be rendered as links.
      return { invocationMessage: new vscode.MarkdownString().appendText(checked.call.title) };
    },
    async invoke({ input }, token) {
      const text = await withSignal(token, (signal) =>
        callExposedTool(name, input, options, signal),
      );
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

/**
 * Runs a call of another chat, which has no approvals, and can't use those of Aside's chats
 * (threats: T45). Each call writes a line to the log.
 *
 * @returns the result for the other chat's model
 * @throws {Error} with a message for it
 */
export async function callExposedTool(
  name: string,
  input: unknown,
  options: ExposedToolOptions,
  signal: AbortSignal,
): Promise<string> {
  const checked = check(name, input, options);
  const title = 'call' in checked ? checked.call.title : name;
  const note = (outcome: string): void =>
    options.log(
      `Another chat called ${exposedToolName(name)} (${oneLine(title, 200)}): ${outcome}`,
    );
  try {
    const reason = refusal(name, options);
    if (reason !== undefined) throw new ToolError(reason, 'denied');
    if ('refused' in checked) throw new ToolError(checked.refused.text);
    const text = await runTool(options.toolbox, checked, signal);
    note('done');
    return text;
  } catch (error) {
    note(error instanceof ToolError ? error.outcome : 'stopped');
    throw error;
  }
}

function check(name: string, input: unknown, { toolbox }: ExposedToolOptions): CheckedCall {
  return toolbox.check(name, jsonOf(input ?? {}));
}

/** `null` for values that aren't JSON, such as cyclic objects and functions. */
function jsonOf(input: unknown): string {
  try {
    return JSON.stringify([input]).slice(1, -1);
  } catch {
    return 'null';
  }
}

function refusal(
  name: string,
  { isEnabled, isOwnEnabled }: ExposedToolOptions,
): string | undefined {
  if (!vscode.workspace.isTrusted) return 'The person does not trust this workspace.';
  if (!isEnabled()) return "The person turned off Aside's tools.";
  return isOwnEnabled(name) ? undefined : 'The person turned off this tool.';
}

/** @throws {ToolError} with the message for the other chat's model */
async function runTool(
  toolbox: Toolbox,
  { tool, call }: Extract<CheckedCall, { readonly tool: unknown }>,
  signal: AbortSignal,
): Promise<string> {
  const { outcome, text } = await toolbox.run(tool, call, contextFor(signal));
  if (outcome !== 'done') throw new ToolError(text, outcome === 'denied' ? 'denied' : 'failed');
  return text;
}

function contextFor(signal: AbortSignal): ToolContext {
  const requestApproval: RequestApproval = (request, requestAnswer) => {
    if (request.by === 'dialog') return requestAnswer(signal);
    throw new ToolError("This works only in Aside's own chat.", 'denied');
  };
  const call = newId();
  return {
    conversation: undefined,
    turn: 'other chat',
    call,
    signal,
    requestApproval,
    print: () => undefined,
    runsUnder: () => undefined,
  };
}
