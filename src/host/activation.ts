import * as vscode from 'vscode';
import { sleep } from '../core/support/async.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { exposedToolName, exposedTools } from '../core/tools/exposedTools.ts';
import { pageOpener, type ReadFile } from './platform/page.ts';
import { registerCodeActionProvider } from './editor/codeActionProvider.ts';
import { openInstructionBox } from './platform/instructionBox.ts';
import { registerCommands, registerTitleCommands } from './platform/commands.ts';
import { chatViewId, codeCommandId, contextKeys, editors, modelVendor } from './contributions.ts';
import { showStatusItem } from './usage/statusItem.ts';
import { symbolNamedAt } from './platform/symbols.ts';
import type { Aside, createAside } from './main.ts';
import type { NodePlatform } from './platform/platform.ts';

/** Milliseconds in which a page leaves this process, even on a slow processor. */
const sending = 50;

/** Milliseconds after which a window has usually finished starting. */
const afterStart = 3000;

let running: Promise<Aside> | undefined;

/** The scripts that aren't loaded when a window opens. */
interface Scripts {
  readonly create: typeof createAside;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
}

/**
 * The border between what a window has at once and what is loaded at first use: registers the view,
 * the tabs, the commands, the models and the tools, and shows the status bar item. Sends nothing, and
 * doesn't read the workspace. This file imports nothing that only a request or a call needs.
 *
 * @param loadScripts loads what is behind the border
 * @param readFile reads a file of the extension; undefined in a browser
 */
export function activateAside(
  context: vscode.ExtensionContext,
  loadScripts: () => Promise<Scripts>,
  readFile?: ReadFile,
): void {
  const { extensionUri } = context;
  const openPage = pageOpener(readFile);
  const modelsChanged = new vscode.EventEmitter<void>();
  const statusItem = showStatusItem();
  const start = async (): Promise<Aside> => {
    // Messages to another machine are compressed beside this thread, so a page would leave late if this went on
    // to load scripts. The window answers once it has the page, or later if it is busy.
    await Promise.race([
      vscode.commands.executeCommand('setContext', contextKeys.used, true),
      sleep(systemClock, sending),
    ]);
    const { create, node } = await loadScripts();
    const aside = create(context, statusItem, openPage, node);
    context.subscriptions.push(aside.onDidChangeModels(() => modelsChanged.fire()));
    return aside;
  };
  const load = (): Promise<Aside> => (running ??= start());
  context.subscriptions.push(
    statusItem,
    modelsChanged,
    vscode.window.registerWebviewViewProvider(chatViewId, {
      async resolveWebviewView(view) {
        // The page loads while the rest does.
        const port = openPage(view.webview, extensionUri);
        (await load()).showIn(view, port);
      },
    }),
    vscode.window.registerWebviewPanelSerializer(editors.chat, {
      async deserializeWebviewPanel(panel, state) {
        const port = openPage(panel.webview, extensionUri);
        (await load()).showInTab(panel, port, state);
      },
    }),
    ...[editors.usage, editors.request].map((type) =>
      vscode.window.registerWebviewPanelSerializer(type, {
        deserializeWebviewPanel: async (panel) => (await load()).restoreTab(type, panel),
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
    registerCodeActionProvider(symbolNamedAt),
    vscode.lm.registerLanguageModelChatProvider(modelVendor, {
      onDidChangeLanguageModelChatInformation: modelsChanged.event,
      async provideLanguageModelChatInformation(options, token) {
        return (await load()).provider.provideLanguageModelChatInformation(options, token);
      },
      async provideLanguageModelChatResponse(...args) {
        return (await load()).provider.provideLanguageModelChatResponse(...args);
      },
      async provideTokenCount(model, text, token) {
        return (await load()).provider.provideTokenCount(model, text, token);
      },
    }),
    ...exposedTools.map((name) =>
      vscode.lm.registerTool(exposedToolName(name), {
        async prepareInvocation(options, token) {
          return (await load()).exposedTool(name).prepareInvocation?.(options, token);
        },
        async invoke(options, token) {
          return (await load()).exposedTool(name).invoke(options, token);
        },
      }),
    ),
    // The status bar has more to show than the model: other settings, and the usage of today.
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('aside')) background(load());
    }),
  );
  if (wasUsed(context)) {
    const loading = setTimeout(() => background(load()), afterStart);
    context.subscriptions.push({ dispose: () => clearTimeout(loading) });
  }
  // Everything else works even if this fails.
  background(welcome(context));
}

/** Saves all chats and tabs. VS Code waits for this when the window closes. */
export async function deactivate(): Promise<void> {
  await (await running)?.flush();
}

const welcomedKey = 'aside.welcomed';
const openOnInstall = 'workbench.welcomePage.walkthroughs.openOnInstall';
/** Unlike the former, a user's value of it also applies to remote machines. */
const startupEditor = 'workbench.startupEditor';

/** True if Aside was used before: it has tokens of today, a chat or the demo to show. */
function wasUsed({ globalState, workspaceState }: vscode.ExtensionContext): boolean {
  const keys = [...globalState.keys(), ...workspaceState.keys()];
  return keys.some((key) => key !== welcomedKey);
}

/**
 * Shows the view once, in the first window after the installation. It offers the walkthrough, which
 * isn't opened here: VS Code may know it only seconds later, and opens another instead until then.
 */
async function welcome(context: vscode.ExtensionContext): Promise<void> {
  const { globalState } = context;
  if (wasUsed(context) || globalState.get(welcomedKey) === true) return;
  await globalState.update(welcomedKey, true);
  const settings = vscode.workspace.getConfiguration();
  if (settings.get(openOnInstall) !== true || settings.get(startupEditor) === 'none') return;
  await vscode.commands.executeCommand(`${chatViewId}.focus`);
}
