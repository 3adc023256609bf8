import * as vscode from 'vscode';
import type { Disposable } from '../../core/support/event.ts';
import { modelVendor } from '../contributions.ts';

/**
 * Offers the models of the connected service to VS Code's own chat and to other extensions. Runs
 * when a window opens, so this file imports nothing that only a request needs.
 *
 * @param load loads the provider when an extension first needs models
 */
export function registerModelProvider(
  load: () => Promise<vscode.LanguageModelChatProvider>,
  onDidChangeModels: vscode.Event<void>,
): Disposable {
  return vscode.lm.registerLanguageModelChatProvider(modelVendor, {
    onDidChangeLanguageModelChatInformation: onDidChangeModels,
    async provideLanguageModelChatInformation(options, token) {
      return (await load()).provideLanguageModelChatInformation(options, token);
    },
    async provideLanguageModelChatResponse(...args) {
      return (await load()).provideLanguageModelChatResponse(...args);
    },
    async provideTokenCount(model, text, token) {
      return (await load()).provideTokenCount(model, text, token);
    },
  });
}
