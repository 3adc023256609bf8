import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/event.ts';
import { exposedToolName, exposedTools } from '../../core/tools/exposedTools.ts';

/**
 * Exposes the built-in reading tools to other chats, as `aside_<name>`; a tool is loaded on its
 * first call. Runs when a window opens, so this file imports nothing that is only needed for a call.
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
