import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../runCommand.ts';
import { fetchVsCode, type VsCodeAge } from './fetchVsCode.ts';
import { ServerProcess } from './serverProcess.ts';
import { WindowDoor } from './windowDoor.ts';

export interface ServerOptions {
  /**
   * `code-server` keeps secrets across a reload and shows notifications, for manual use and
   * journeys. `tests` runs a suite inside the extension host, but shows no notifications.
   */
  readonly kind: 'code-server' | 'tests';
  /** The newest VS Code if absent. */
  readonly age?: VsCodeAge;
  readonly userDataFolder: string;
  readonly extensionsFolder: string;
  /** User settings, written before the start. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A free port if absent or 0. Secrets belong to the origin, so a restart needs the same port. */
  readonly port?: number;
  /** Enables workspace trust, which Restricted Mode requires. */
  readonly workspaceTrust?: boolean;
  /** Home folder in the environment; the machine's if absent. */
  readonly home?: string | undefined;
}

/**
 * A VS Code server that serves its window to a browser on this machine. A window has a terminal, so
 * only who has the token of its address gets one: not another page of the browser, and not another
 * user of the machine.
 */
export class VsCodeServer {
  readonly #process: ServerProcess;
  readonly #token: string;
  /** Undefined for the bare server, which knows tokens itself. */
  readonly #door: WindowDoor | undefined;
  /** For example `http://127.0.0.1:41234`. */
  readonly origin: string;

  private constructor(
    process: ServerProcess,
    token: string,
    origin: string,
    door: WindowDoor | undefined,
  ) {
    this.#process = process;
    this.#token = token;
    this.#door = door;
    this.origin = origin;
  }

  static async start(options: ServerOptions): Promise<VsCodeServer> {
    const files = await fetchVsCode(options.age);
    await mkdir(options.extensionsFolder, { recursive: true });
    if (options.settings !== undefined)
      await writeUserFile(options.userDataFolder, 'settings.json', options.settings);
    const token = await writeToken(options.userDataFolder);
    const parameters =
      options.kind === 'tests'
        ? [files.server, ...testParameters(options)]
        : [files.codeServer, ...codeServerParameters(options)];
    const server = new ServerProcess(files.node, [...parameters, ...sharedParameters(options)], {
      ...environment(),
      ...socketFolder(options),
      ...(options.home !== undefined && { HOME: options.home, USERPROFILE: options.home }),
    });
    try {
      const port = await server.printed(/(?:available at|listening on) http:\/\/[^\s:]+:(\d+)/);
      const origin = `http://127.0.0.1:${port}`;
      const door = options.kind === 'tests' ? undefined : await WindowDoor.open(origin, token);
      return new VsCodeServer(server, token, origin, door);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Address of a window with this folder, with the token. */
  windowAddress(folder: string, payload: Readonly<Record<string, string>> = {}): string {
    const address = new URL(this.#door?.origin ?? this.origin);
    address.searchParams.set('tkn', this.#token);
    address.searchParams.set('folder', folder);
    const entries = Object.entries(payload);
    if (entries.length > 0) address.searchParams.set('payload', JSON.stringify(entries));
    return address.href;
  }

  /** Output of the server, for failure reports. */
  get output(): string {
    return this.#process.output;
  }

  get processId(): number {
    return this.#process.id;
  }

  stop(): Promise<void> {
    this.#door?.close();
    return this.#process.stop();
  }
}

function tokenFile(userDataFolder: string): string {
  return join(userDataFolder, 'token');
}

function configurationFile(userDataFolder: string): string {
  return join(userDataFolder, 'code-server.yaml');
}

/**
 * Writes the token where both servers read it, since a command line can be read by other users. The
 * next start with these data has the same, so that open windows can connect again.
 */
async function writeToken(userDataFolder: string): Promise<string> {
  const file = tokenFile(userDataFolder);
  await mkdir(userDataFolder, { recursive: true });
  const known = existsSync(file) ? await readFile(file, 'utf8') : '';
  const token = /^[0-9a-f]{64}$/.test(known) ? known : randomBytes(32).toString('hex');
  const ownerOnly = { mode: 0o600 };
  await writeFile(file, token, ownerOnly);
  // code-server compares its cookie with the hash. Nobody knows a password with this one.
  const configuration = `auth: password\nhashed-password: "${token}"\n`;
  await writeFile(configurationFile(userDataFolder), configuration, ownerOnly);
  return token;
}

/** Installs a VSIX into an extensions folder, like `--install-extension`. */
export async function installExtension(
  file: string,
  extensionsFolder: string,
  age?: VsCodeAge,
): Promise<void> {
  const { node, server } = await fetchVsCode(age);
  await mkdir(extensionsFolder, { recursive: true });
  let output = '';
  const code = await runCommand(
    node,
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

/** Without both, the server would create a folder in the home folder. */
function serverFolders(userDataFolder: string): string[] {
  return [`--user-data-dir=${userDataFolder}`, `--server-data-dir=${userDataFolder}-server`];
}

function testParameters({ userDataFolder, port = 0 }: ServerOptions): string[] {
  return [
    ...serverFolders(userDataFolder),
    '--host=127.0.0.1',
    `--port=${port}`,
    `--connection-token-file=${tokenFile(userDataFolder)}`,
    '--accept-server-license-terms',
    '--disable-experiments',
    '--enable-smoke-test-driver',
  ];
}

function codeServerParameters({ userDataFolder, port = 0, age }: ServerOptions): string[] {
  return [
    `--user-data-dir=${userDataFolder}`,
    `--bind-addr=127.0.0.1:${port}`,
    // Requires the token, see `writeToken`.
    `--config=${configurationFile(userDataFolder)}`,
    '--disable-update-check',
    '--disable-getting-started-override',
    // The oldest version doesn't support passing options this way.
    ...(age === 'oldest' ? [] : ['--vscode-option=disable-experiments']),
  ];
}

/** Removes the variables of an editor's terminal, and those that override code-server's options. */
function environment(): NodeJS.ProcessEnv {
  const inherited = /^(?:VSCODE_|ELECTRON_|CODE_SERVER_|CS_)|^(?:PORT|PASSWORD|HASHED_PASSWORD)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)));
}

/** Sockets are deleted with the user data. The path of a socket is limited to 107 bytes. */
function socketFolder({ userDataFolder }: ServerOptions): NodeJS.ProcessEnv {
  return userDataFolder.length > 50 ? {} : { XDG_RUNTIME_DIR: userDataFolder };
}

/** Writes a user file, such as `settings.json`. */
export async function writeUserFile(
  userDataFolder: string,
  name: string,
  content: unknown,
): Promise<void> {
  const folder = join(userDataFolder, 'User');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), JSON.stringify(content, undefined, 2));
}
