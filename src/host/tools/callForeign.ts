import * as vscode from 'vscode';
import { isObject, parseJson } from '../../core/support/json.ts';
import type { PlannedExternal } from '../../core/tools/gate.ts';
import { ToolError } from '../../core/tools/tool.ts';

/**
 * Calls a tool that passed the gate, with exactly the JSON that was shown. Resolves with its text.
 *
 * @throws {ToolError} in the tool's own words
 */
export async function callForeign(
  { tool, input }: Pick<PlannedExternal, 'tool' | 'input'>,
  signal: AbortSignal,
): Promise<string> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const given = parseJson(input);
    const options = { input: isObject(given) ? given : {}, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool(tool, options, cancellation.token);
    return textOf(content);
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError(
      `${tool} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

/** Nothing but text is passed on. */
function textOf(content: readonly unknown[]): string {
  const texts = content.flatMap((part) =>
    part instanceof vscode.LanguageModelTextPart ? part.value : [],
  );
  const left = content.length - texts.length;
  const note = left === 0 ? '' : `(${left} parts that are no text were left out.)`;
  return [...texts, note].filter((text) => text !== '').join('\n') || 'It answered with nothing.';
}
