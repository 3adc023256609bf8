import * as vscode from 'vscode';
import { openStream } from './openStream.ts';

const vendor = 'bench';

/** Gives VS Code's own chat a model whose words come from the same service. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider(vendor, {
      provideLanguageModelChatInformation: () => [model],
      async provideLanguageModelChatResponse(_model, _messages, { tools = [] }, progress) {
        // The chat asks for titles and the like as well; only its question brings tools.
        if (tools.length === 0) progress.report(new vscode.LanguageModelTextPart('Bench'));
        else await answer(progress);
      },
      provideTokenCount: () => Promise.resolve(1),
    }),
  );
  // Before somebody asked for them, the chat does not know the models.
  await vscode.lm.selectChatModels({ vendor });
}

const model: vscode.LanguageModelChatInformation = {
  id: 'bench',
  name: 'Bench',
  family: 'bench',
  version: '1',
  maxInputTokens: 1_000_000,
  maxOutputTokens: 1_000_000,
  capabilities: { toolCalling: true },
};

async function answer(progress: vscode.Progress<vscode.LanguageModelResponsePart>): Promise<void> {
  const baseUrl = vscode.workspace.getConfiguration('aside').get('baseUrl', '');
  for await (const text of openStream(baseUrl))
    progress.report(new vscode.LanguageModelTextPart(text));
}
