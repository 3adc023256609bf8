import * as vscode from 'vscode';
import { sleep } from '../core/support/async.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { pageOpener, type ReadFile } from '../host/page.ts';
import { registerCodeActionProvider } from '../host/code/codeActionProvider.ts';
import { welcome } from '../host/firstStart.ts';
import { openInstructionBox } from '../host/instructionBox.ts';
import { registerCommands, registerTitleCommands } from '../host/commands.ts';
import {
  chatViewId,
  codeCommandId,
  contextKeys,
  editors,
  modelVendor,
} from '../host/contributions.ts';
import { InitialStatusBar } from '../host/usage/initialStatusBar.ts';
import { symbolNamedAt } from '../host/workspace/symbols.ts';
import type { Aside, createAside } from './window.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { exposedToolName, exposedTools } from '../core/tools/exposedTools.ts';

let loaded: Promise<Aside> | undefined;

/** Modules that are not loaded when a window opens. */
interface Loaded {
  readonly create: typeof createAside;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
}

/**
 * Registers the commands and the view. Everything else is loaded on first use. Sends nothing,
 * and doesn't read the workspace. So this file imports nothing that only a request or a call needs.
 *
 * @param readFile reads a file of the extension; undefined in a browser
 */
export function activateAside(
  context: vscode.ExtensionContext,
  loadAll: () => Promise<Loaded>,
  readFile?: ReadFile,
): void {
  const openPage = pageOpener(readFile);
  const models = new vscode.EventEmitter<void>();
  // Everything else works even if this fails.
  background(welcome(context));
  const start = async (): Promise<Aside> => {
    // Messages to another machine are compressed beside this thread, so a page would leave late if this went on
    // to load scripts. The window answers once it has the page, or later if it is busy.
    await Promise.race([
      vscode.commands.executeCommand('setContext', contextKeys.used, true),
      sleep(systemClock, sending),
    ]);
    const { create, node } = await loadAll();
    const aside = create(context, status.handOver(), openPage, node);
    context.subscriptions.push(aside.onDidChangeModels(() => models.fire()));
    return aside;
  };
  const load = (): Promise<Aside> => (loaded ??= start());
  const status = new InitialStatusBar(context, load);
  context.subscriptions.push(
    status,
    vscode.window.registerWebviewViewProvider(chatViewId, {
      async resolveWebviewView(view) {
        // The page loads while the rest does.
        const listen = openPage(view.webview, context.extensionUri);
        (await load()).showIn(view, listen);
      },
    }),
    vscode.window.registerWebviewPanelSerializer(editors.chat, {
      async deserializeWebviewPanel(panel, state) {
        const listen = openPage(panel.webview, context.extensionUri);
        (await load()).showInTab(panel, listen, state);
      },
    }),
    ...[editors.usage, editors.request].map((type) =>
      vscode.window.registerWebviewPanelSerializer(type, {
        deserializeWebviewPanel: async (panel) => (await load()).restoreTab(type, panel),
      }),
    ),
    registerCodeActionProvider(symbolNamedAt),
    models,
    vscode.lm.registerLanguageModelChatProvider(modelVendor, {
      onDidChangeLanguageModelChatInformation: models.event,
      async provideLanguageModelChatInformation(options, token) {
        const provider = await (await load()).models();
        return provider.provideLanguageModelChatInformation(options, token);
      },
      async provideLanguageModelChatResponse(...args) {
        const provider = await (await load()).models();
        return provider.provideLanguageModelChatResponse(...args);
      },
      async provideTokenCount(model, text, token) {
        const provider = await (await load()).models();
        return provider.provideTokenCount(model, text, token);
      },
    }),
    ...exposedTools.map((name) =>
      vscode.lm.registerTool(exposedToolName(name), {
        async prepareInvocation(options, token) {
          const tool = await (await load()).exposedTool(name);
          return tool.prepareInvocation?.(options, token);
        },
        async invoke(options, token) {
          return (await (await load()).exposedTool(name)).invoke(options, token);
        },
      }),
    ),
    ...registerCommands(async (id, args) => {
      const isEdit = id === codeCommandId('edit') && vscode.window.activeTextEditor !== undefined;
      const opened = isEdit ? openInstructionBox() : undefined;
      return (await load()).run(id, args, opened);
    }),
    ...registerTitleCommands(async (id) => {
      const aside = await load();
      aside.noteFocus();
      return aside.run(id, []);
    }),
  );
}

/** Milliseconds in which a page leaves this process, even on a slow processor. */
const sending = 50;

/** Saves all chats and tabs. VS Code waits for this when the window closes. */
export async function deactivate(): Promise<void> {
  await (await loaded)?.flush();
}
