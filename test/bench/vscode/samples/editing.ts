import * as vscode from 'vscode';
import { functionEdit } from '../../functionEdit.ts';
import { cpuOf } from '../../measure.ts';
import { quiet } from './quiet.ts';

/**
 * Edits a function with Aside like a person does, and shows the cost of each step in the status
 * bar.
 */
export function activate({ subscriptions }: vscode.ExtensionContext): void {
  const item = vscode.window.createStatusBarItem('step');
  item.show();
  const step = (command: string, work: (lines: number) => Promise<object>): vscode.Disposable =>
    vscode.commands.registerCommand(command, async (lines: number) => {
      const result = await work(lines).catch((error: unknown) => ({ failed: String(error) }));
      item.text = JSON.stringify({ [command]: lines, ...result });
    });
  subscriptions.push(
    item,
    step('bench.open', open),
    step('bench.stream', stream),
    step('bench.apply', apply),
  );
}

/** Editor of the function. During the review, another one is active. */
let opened: vscode.TextEditor | undefined;

async function open(lines: number): Promise<object> {
  const content = functionEdit(lines).before.join('\n');
  const show = async (): Promise<vscode.TextEditor> => {
    const document = await vscode.workspace.openTextDocument({ content, language: 'typescript' });
    return vscode.window.showTextDocument(document, { preview: false });
  };
  let editor = await show();
  // VS Code may still have the backup of the document that was closed, which has the same name.
  while (editor.document.getText() !== content) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    editor = await show();
  }
  opened = editor;
  editor.selection = new vscode.Selection(0, 0, lines, 0);
  await quiet();
  return {};
}

/** CPU time of the whole extension host, including VS Code and its TypeScript extension. */
async function stream(): Promise<object> {
  const cpu = await cpuOf(async () => {
    await vscode.commands.executeCommand('aside.improve');
  });
  return { cpu };
}

/** Accepts the streamed edit, and writes the same text at once into a similar document. */
async function apply(lines: number): Promise<object> {
  const wanted = functionEdit(lines).after.join('\n');
  await quiet();
  const applying = await changing(wanted, () => vscode.commands.executeCommand('aside.acceptEdit'));
  await open(lines);
  const writing = await changing(wanted, (editor) =>
    editor.edit((builder) => builder.replace(editor.selection, wanted)),
  );
  return { applying, writing };
}

/** Milliseconds until the document has the wanted text. Closes the editor afterwards. */
async function changing(
  wanted: string,
  work: (editor: vscode.TextEditor) => Thenable<unknown>,
): Promise<number> {
  const editor = opened;
  if (editor === undefined) throw new Error('No editor is open.');
  const start = performance.now();
  let time: number | undefined;
  const listening = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document === editor.document && document.getText() === wanted)
      time ??= performance.now() - start;
  });
  // Not included: the file is revealed, and the diff is closed.
  await work(editor);
  listening.dispose();
  if (time === undefined) throw new Error('The text is not what is wanted.');
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  return time;
}
