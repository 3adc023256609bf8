import * as vscode from 'vscode';
import { openStream } from './openStream.ts';

const vendor = 'bench';

/** Provides a model for VS Code's built-in chat that uses the same service. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider(vendor, {
      provideLanguageModelChatInformation: () => [model],
      async provideLanguageModelChatResponse(_model, _messages, { tools = [] }, progress) {
        // The chat also requests titles and the like. Only the request for the message has tools.
        if (tools.length === 0) progress.report(new vscode.LanguageModelTextPart('Bench'));
        else await answer(progress);
      },
      provideTokenCount: () => Promise.resolve(1),
    }),
  );
  // The chat doesn't know the models until they have been requested once.
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
