/**
 * Replaces the executable of desktop VS Code for suites that run inside the extension host: takes
 * the same parameters, runs the suite in a VS Code server and a browser, and exits with its code.
 */
import { format, parseArgs } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { TemporaryFolder } from '../temporaryFolder.ts';
import { hostName, hosts } from './hosts.ts';
import { launchBrowser } from './launchBrowser.ts';
import { lightSettings } from './lightSettings.ts';
import { VsCodeServer } from './vsCodeServer.ts';

const twentyMinutes = 1_200_000;
const reportPrefix = 'report: ';
process.env['ASIDE_REPORT_MARK'] = reportPrefix;

const commandLine = z.object({
  values: z.object({
    extensionDevelopmentPath: z.string(),
    extensionTestsPath: z.string(),
    'user-data-dir': z.string(),
    'extensions-dir': z.string(),
  }),
  positionals: z.array(z.string()),
});
type CommandLine = z.infer<typeof commandLine>;

const parsed = parseArgs({ strict: false, allowPositionals: true });
process.exitCode = await launch(commandLine.parse(parsed));

async function launch({ values, positionals }: CommandLine): Promise<number> {
  const emptyFolder = await TemporaryFolder.create();
  const server = await VsCodeServer.start({
    kind: 'tests',
    age: hosts[hostName].age,
    userDataFolder: values['user-data-dir'],
    extensionsFolder: values['extensions-dir'],
    // The default on the desktop. In a browser, every edit would be saved after a second.
    settings: {
      'files.autoSave': 'off',
      'workbench.startupEditor': 'none',
      ...lightSettings,
      // Tests open repositories beside the workspace, which the oldest VS Code considers its
      // parents.
      'git.openRepositoryInParentFolders': 'always',
    },
  });
  try {
    const authority = new URL(server.origin).host;
    const address = server.windowAddress(positionals[0] ?? emptyFolder.path, {
      extensionDevelopmentPath: `vscode-remote://${authority}${values.extensionDevelopmentPath}`,
      extensionTestsPath: `vscode-remote://${authority}${values.extensionTestsPath}`,
      skipWelcome: 'true',
    });
    return await runIn(address);
  } finally {
    await server.stop();
    await emptyFolder.dispose();
  }
}

/** Opens the window. Resolves with the exit code of the suite. */
async function runIn(address: string): Promise<number> {
  const browser = await launchBrowser();
  const log: string[] = [];
  try {
    // Nobody looks, and a small window is drawn faster.
    const page = await browser.newPage({ viewport: { width: 800, height: 500 } });
    await page.exposeFunction('codeAutomationLog', (type: string, parts: readonly unknown[]) =>
      print(type, format(...parts), log),
    );
    let end: (code: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (end = resolve));
    // The window calls this function when the suite has ended.
    await page.exposeFunction('codeAutomationExit', (code: number) => end(code));
    await page.goto(address);
    return await Promise.race([ended, tooLong(log)]);
  } finally {
    await browser.close();
  }
}

async function tooLong(log: readonly string[]): Promise<never> {
  await setTimeout(twentyMinutes, undefined, { ref: false });
  throw new Error(`The suite did not end within twenty minutes.\n${log.slice(-50).join('\n')}`);
}

/** Prints only the suite's output; `ASIDE_VERBOSE=1` prints the whole log of the workbench. */
function print(type: string, text: string, log: string[]): void {
  log.push(`${type} ${text}`);
  if (text.startsWith(reportPrefix)) console.log(text.slice(reportPrefix.length));
  else if (process.env['ASIDE_VERBOSE'] !== undefined) console.log(type, text);
}
