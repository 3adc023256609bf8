import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/event.ts';
import { exposedToolName, exposedTools } from '../../core/tools/exposedTools.ts';

/**
 * Exposes the built-in read-only tools to other chats as `aside_<name>`, each loaded on its first
 * call. Runs when a window opens, so this file imports nothing that only a call needs.
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
