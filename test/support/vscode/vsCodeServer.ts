import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../runCommand.ts';
import { fetchVsCode } from './fetchVsCode.ts';
import { ServerProcess } from './serverProcess.ts';

export interface ServerOptions {
  /**
   * `code-server` keeps secrets across a reload and shows notifications: for people and journeys.
   * `tests` can run a suite inside the extension host, but shows no notifications.
   */
  readonly kind: 'code-server' | 'tests';
  readonly userDataFolder: string;
  readonly extensionsFolder: string;
  /** Settings of the user, written before the start. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** 0 or nothing takes a free one. Secrets belong to the address, so a restart needs the same. */
  readonly port?: number;
  /** Restricted mode can only be tested with trust on. */
  readonly workspaceTrust?: boolean;
}

/** A real VS Code that serves its window to a browser on this machine. */
export class VsCodeServer {
  readonly #process: ServerProcess;
  /** For example `http://127.0.0.1:41234`. */
  readonly origin: string;

  private constructor(process: ServerProcess, origin: string) {
    this.#process = process;
    this.origin = origin;
  }

  static async start(options: ServerOptions): Promise<VsCodeServer> {
    const files = await fetchVsCode();
    await mkdir(options.extensionsFolder, { recursive: true });
    if (options.settings !== undefined) await writeSettings(options, options.settings);
    const parameters =
      options.kind === 'tests'
        ? [files.server, ...testParameters(options)]
        : [files.codeServer, ...codeServerParameters(options)];
    const server = new ServerProcess([...parameters, ...sharedParameters(options)], {
      ...environment(),
      ...socketFolder(options),
    });
    try {
      const port = await server.printed(/(?:available at|listening on) http:\/\/[^\s:]+:(\d+)/);
      return new VsCodeServer(server, `http://127.0.0.1:${port}`);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** The address of a window on this folder. */
  windowAddress(folder: string, payload: Readonly<Record<string, string>> = {}): string {
    const address = new URL(this.origin);
    address.searchParams.set('folder', folder);
    const entries = Object.entries(payload);
    if (entries.length > 0) address.searchParams.set('payload', JSON.stringify(entries));
    return address.href;
  }

  /** What the server has printed, for the report of a failure. */
  get output(): string {
    return this.#process.output;
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

/** Puts a VSIX into an extensions folder, as `--install-extension` does. */
export async function installExtension(file: string, extensionsFolder: string): Promise<void> {
  const { server } = await fetchVsCode();
  await mkdir(extensionsFolder, { recursive: true });
  let output = '';
  const code = await runCommand(
    process.execPath,
    [
      server,
      '--accept-server-license-terms',
      `--extensions-dir=${extensionsFolder}`,
      ...serverFolders(join(dirname(extensionsFolder), 'installer')),
      `--install-extension=${file}`,
      '--force',
    ],
    { environment: environment(), quiet: true, onOutput: (text) => (output += text) },
  );
  if (code !== 0 || !output.includes('successfully installed'))
    throw new Error(`VS Code did not install ${file} (exit code ${code}). It said:\n${output}`);
}

function sharedParameters({ extensionsFolder, workspaceTrust }: ServerOptions): string[] {
  return [
    `--extensions-dir=${extensionsFolder}`,
    '--disable-telemetry',
    ...(workspaceTrust === true ? [] : ['--disable-workspace-trust']),
  ];
}

/** Both named, else it keeps a folder in the home folder. */
function serverFolders(userDataFolder: string): string[] {
  return [`--user-data-dir=${userDataFolder}`, `--server-data-dir=${userDataFolder}-server`];
}

function testParameters({ userDataFolder, port = 0 }: ServerOptions): string[] {
  return [
    ...serverFolders(userDataFolder),
    '--host=127.0.0.1',
    `--port=${port}`,
    '--without-connection-token',
    '--accept-server-license-terms',
    '--disable-experiments',
    '--enable-smoke-test-driver',
  ];
}

function codeServerParameters({ userDataFolder, port = 0 }: ServerOptions): string[] {
  return [
    `--user-data-dir=${userDataFolder}`,
    '--auth=none',
    `--bind-addr=127.0.0.1:${port}`,
    // Else it writes one into the home folder.
    `--config=${join(userDataFolder, 'code-server.yaml')}`,
    '--disable-update-check',
    '--disable-getting-started-override',
    '--vscode-option=disable-experiments',
  ];
}

/** Without what an editor's terminal puts there, and what code-server reads before its options. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(?:VSCODE_|ELECTRON_|CODE_SERVER_|CS_)|^(?:PORT|PASSWORD|HASHED_PASSWORD)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Sockets are deleted with the user's data; a path of more than 107 bytes would be no socket. */
function socketFolder({ userDataFolder }: ServerOptions): NodeJS.ProcessEnv {
  return userDataFolder.length > 50 ? {} : { XDG_RUNTIME_DIR: userDataFolder };
}

async function writeSettings({ userDataFolder }: ServerOptions, settings: object): Promise<void> {
  const folder = join(userDataFolder, 'User');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings, undefined, 2));
}
