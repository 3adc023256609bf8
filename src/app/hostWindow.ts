import * as vscode from 'vscode';
import { reportTo } from '../core/support/background.ts';
import type { Disposable } from '../core/support/event.ts';
import { createRedactor } from '../core/support/redact.ts';
import { Keys } from '../host/connection/keys.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { Log } from '../host/log.ts';
import { Settings } from '../host/settings.ts';
import { VirtualFiles } from '../host/virtualFiles.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { nodeOfKept, type HostWindow } from '../host/workspace/window.ts';

interface NewWindow {
  readonly window: HostWindow;
  readonly keys: Keys;
  readonly output: Disposable;
}

/** The objects of a window that need no feature, and the keys of its services. */
export function createHostWindow(
  context: vscode.ExtensionContext,
  node: NodePlatform | undefined,
): NewWindow {
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const keys = new Keys(context.secrets, redactor);
  const log = new Log(output, redactor, keys.learned());
  for (const reportIn of [reportTo, node?.reportTo])
    reportIn?.((error) => log.error('In the background', error));
  const { globalStorageUri: folder } = context;
  const keptFiles =
    nodeOfKept({ context, node })?.diskFiles(folder.fsPath) ?? new VirtualFiles(folder);
  keptFiles
    .prepare()
    .catch((error: unknown) => log.error('Keeping stored chats from other users', error));
  const settings = new Settings((problem) => log.warn(problem));
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  const window = { context, node, keptFiles, redactor, log, settings, errors };
  return { window, keys, output };
}
