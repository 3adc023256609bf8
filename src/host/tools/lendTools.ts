import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/disposable.ts';
import { lentName, lentTools } from '../../core/tools/lentTools.ts';

/** Lends Aside's reading tools to other chats, as `aside_<name>`; each is made when it is called. */
export function lendTools(
  load: (name: string) => Promise<vscode.LanguageModelTool<unknown>>,
): readonly Disposable[] {
  return lentTools.map((name) =>
    vscode.lm.registerTool(lentName(name), {
      async prepareInvocation(options, token) {
        return (await load(name)).prepareInvocation?.(options, token);
      },
      async invoke(options, token) {
        return (await load(name)).invoke(options, token);
      },
    }),
  );
}
