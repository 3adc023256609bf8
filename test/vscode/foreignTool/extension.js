/**
 * For tests: tools that ask nobody, a command that tells what they were called with, a service for a
 * language that never answers, and commands that use the models of Aside.
 */
const vscode = require('vscode');

const inputs = [];
let cancelled = 0;

/** Says the text again; `fail`, `hang` and `mixed` do what they say. */
const echo = {
  async invoke({ input }, token) {
    inputs.push(input);
    const { text } = input;
    if (text === 'fail') throw new Error('The sample fails.');
    if (text === 'hang') {
      token.onCancellationRequested(() => (cancelled += 1));
      await new Promise(() => undefined);
    }
    const parts = [new vscode.LanguageModelTextPart(`You said: ${text}`)];
    if (text === 'mixed')
      parts.push(vscode.LanguageModelDataPart.image(new Uint8Array(4), 'image/png'));
    return new vscode.LanguageModelToolResult(parts);
  },
};

/** What tests read of a part of a reply. */
function described(part) {
  if (part instanceof vscode.LanguageModelTextPart) return { text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { callId: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelDataPart)
    return { mimeType: part.mimeType, json: new TextDecoder().decode(part.data) };
  return {};
}

function message({ role, text, call, result }) {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  const parts = [
    ...(text === undefined ? [] : [new vscode.LanguageModelTextPart(text)]),
    ...(call === undefined
      ? []
      : [new vscode.LanguageModelToolCallPart(call.callId, call.name, call.input)]),
    ...(result === undefined
      ? []
      : [
          new vscode.LanguageModelToolResultPart(result.callId, [
            new vscode.LanguageModelTextPart(result.text),
          ]),
        ]),
  ];
  return new vscode.LanguageModelChatMessage(role === 'assistant' ? Assistant : User, parts);
}

async function selected(id) {
  const [model] = await vscode.lm.selectChatModels({ vendor: 'aside', id });
  if (model === undefined) throw new Error(`There is no model ${id}.`);
  return model;
}

/** Sends messages to a model; cancels, or runs a command, once so many characters of text are there. */
async function send({ id, messages, tools, toolMode, modelOptions, cancelAfter, runAfter }) {
  const cancellation = new vscode.CancellationTokenSource();
  const parts = [];
  let characters = 0;
  try {
    const model = await selected(id);
    const options = { modelOptions, tools, toolMode };
    const { stream } = await model.sendRequest(messages.map(message), options, cancellation.token);
    for await (const part of stream) {
      parts.push(described(part));
      characters += parts.at(-1).text?.length ?? 0;
      if (characters >= cancelAfter) cancellation.cancel();
      if (runAfter !== undefined && characters >= runAfter.characters)
        await vscode.commands.executeCommand(runAfter.command);
    }
    return { parts };
  } catch (error) {
    return { parts, error: { name: error.name, code: error.code, message: error.message } };
  } finally {
    cancellation.dispose();
  }
}

/** Asks a model as often as the person says, and shows what came of it. */
async function loop() {
  const text = await vscode.window.showInputBox({ title: 'Sample Message' });
  const times = Number(await vscode.window.showInputBox({ title: 'Sample Times' }));
  const [{ id }] = await vscode.lm.selectChatModels({ vendor: 'aside' });
  const messages = [{ role: 'user', text }];
  let done = 0;
  for (; done < times; done += 1) {
    const { parts, error } = await send({ id, messages });
    if (error !== undefined) {
      void vscode.window.showErrorMessage(`Sample after ${done}: ${error.code} ${error.message}`);
      return;
    }
    if (parts.length === 0) throw new Error('There was no reply.');
  }
  void vscode.window.showInformationMessage(`Sample got ${done} replies.`);
}

const silent = { provideDocumentSymbols: () => new Promise(() => undefined) };

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.lm.registerTool('sample_echo', echo),
    vscode.lm.registerTool('sample_createFile', echo),
    vscode.languages.registerDocumentSymbolProvider({ pattern: '**/*.slow' }, silent),
    vscode.commands.registerCommand('foreignTool.models', async () =>
      (await vscode.lm.selectChatModels({ vendor: 'aside' })).map(
        ({ id, name, family, vendor, maxInputTokens }) => ({
          id,
          name,
          family,
          vendor,
          maxInputTokens,
        }),
      ),
    ),
    vscode.commands.registerCommand('foreignTool.send', send),
    vscode.commands.registerCommand('foreignTool.loop', loop),
    vscode.commands.registerCommand('foreignTool.count', async ({ id, text }) => {
      const model = await selected(id);
      const { User } = vscode.LanguageModelChatMessage;
      return [await model.countTokens(text), await model.countTokens(User(text))];
    }),
    vscode.commands.registerCommand('foreignTool.calls', () => ({ inputs, cancelled })),
  );
};
