import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { exposedToolName, exposedTools } from '../../core/tools/exposedTools.ts';
import type { RequestApproval, ToolContext } from '../../core/tools/tool.ts';
import type { CheckedCall, Toolbox } from '../../core/tools/toolbox.ts';

interface ExposedToolOptions {
  /** The toolbox with the exposed tools. */
  readonly toolbox: Toolbox;
  /** The current value of `aside.tools.enabled`. */
  readonly isEnabled: () => boolean;
}

/** A built-in reading tool that is exposed to other chats. Its calls pass the same gate. */
export function createExposedTool(
  name: string,
  options: ExposedToolOptions,
): vscode.LanguageModelTool<unknown> {
  const { toolbox } = options;
  const check = (input: unknown): CheckedCall => toolbox.check(name, JSON.stringify(input ?? {}));
  return {
    prepareInvocation({ input }) {
      if (refusal(options) !== undefined) return undefined;
      const checked = check(input);
      if ('refused' in checked) return undefined;
      // The title contains text of the model, which must not be rendered as links.
      return { invocationMessage: new vscode.MarkdownString().appendText(checked.call.title) };
    },
    async invoke({ input }, token) {
      const reason = refusal(options);
      if (reason !== undefined) throw new Error(reason);
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(await runTool(toolbox, check(input), token)),
      ]);
    },
  };
}

function refusal({ isEnabled }: ExposedToolOptions): string | undefined {
  if (!vscode.workspace.isTrusted) return 'The person does not trust this workspace.';
  return isEnabled() ? undefined : "The person turned off Aside's tools.";
}

/** The result for the other chat's model; rejects with the error message for it. */
async function runTool(
  toolbox: Toolbox,
  checked: CheckedCall,
  token: vscode.CancellationToken,
): Promise<string> {
  if ('refused' in checked) throw new Error(checked.refused.text);
  const abort = new AbortController();
  const listening = token.onCancellationRequested(() => abort.abort());
  if (token.isCancellationRequested) abort.abort();
  try {
    const { tool, call } = checked;
    const { outcome, text } = await toolbox.run(tool, call, contextFor(abort.signal));
    if (outcome !== 'done') throw new Error(text);
    return text;
  } finally {
    listening.dispose();
  }
}

/** The context of a call without a card in the panel: VS Code shows it in the other chat. */
function contextFor(signal: AbortSignal): ToolContext {
  const requestApproval: RequestApproval = (request, requestAnswer) => {
    if (request.by === 'dialog') return requestAnswer(signal);
    throw new ToolError("This works only in Aside's own chat.", 'denied');
  };
  const call = newId();
  return {
    turn: 'other chat',
    call,
    signal,
    requestApproval,
    print: () => undefined,
    runsUnder: () => undefined,
  };
}

/**
 * Exposes the built-in reading tools to other chats, as `aside_<name>`; a tool is loaded on its
 * first call.
 */
export function registerExposedTools(
  load: (name: string) => Promise<vscode.LanguageModelTool<unknown>>,
): readonly Disposable[] {
  return exposedTools.map((name) =>
    vscode.lm.registerTool(exposedToolName(name), {
      async prepareInvocation(options, token) {
        return (await load(name)).prepareInvocation?.(options, token);
      },
      async invoke(options, token) {
        return (await load(name)).invoke(options, token);
      },
    }),
  );
}
