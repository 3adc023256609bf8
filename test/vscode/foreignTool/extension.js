/**
 * For tests: tools that ask nobody, a command that tells what they were called with, and a service
 * for a language that never answers.
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

const silent = { provideDocumentSymbols: () => new Promise(() => undefined) };

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.lm.registerTool('sample_echo', echo),
    vscode.lm.registerTool('sample_createFile', echo),
    vscode.languages.registerDocumentSymbolProvider({ pattern: '**/*.slow' }, silent),
    vscode.commands.registerCommand('foreignTool.calls', () => ({ inputs, cancelled })),
  );
};
