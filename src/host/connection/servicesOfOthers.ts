import * as vscode from 'vscode';
import {
  clineProviders,
  clineServices,
  codeServices,
  continueServices,
  filesOfOthers,
  rooServices,
  type ServiceOfOther,
} from '../../core/import/settingsOfOthers.ts';

/** The size in bytes above which a file isn't read as settings. */
const maxFileBytes = 1_000_000;

/** A service that another extension has set up, and the place where it is stored. */
export interface FoundService extends ServiceOfOther {
  readonly owner: string;
  readonly source: string;
}

export interface PlacesOfOthers {
  /** The home folder of the person; undefined without a disk. */
  readonly home: vscode.Uri | undefined;
  /** The folder with the person's settings of VS Code. */
  readonly user: vscode.Uri;
  /** Reads the user's value of a setting, for all workspaces. */
  readonly setting: (id: string) => unknown;
}

/**
 * Reads the services configured in Continue, Cline, Roo Code and VS Code itself. Only called at the
 * person's request. Doesn't read the workspace, which could specify another address for a key.
 */
export async function findServicesOfOthers(
  places: PlacesOfOthers,
): Promise<readonly FoundService[]> {
  const services = await Promise.all([
    ofContinue(places, filesOfOthers.continueYaml),
    ofContinue(places, filesOfOthers.continueJson),
    ofCline(places),
    ofRooCode(places),
    ofCode(places),
  ]);
  return services.flat();
}

async function ofContinue(
  { home }: PlacesOfOthers,
  file: string,
): Promise<readonly FoundService[]> {
  return placed(continueServices(await read(home, file)), 'Continue', `~/${file}`);
}

async function ofCline({ home }: PlacesOfOthers): Promise<readonly FoundService[]> {
  const [providers, state, secrets] = await Promise.all([
    read(home, filesOfOthers.clineProviders),
    read(home, filesOfOthers.clineState),
    read(home, filesOfOthers.clineSecrets),
  ]);
  return [
    ...placed(clineProviders(providers), 'Cline', `~/${filesOfOthers.clineProviders}`),
    ...placed(clineServices(state, secrets), 'Cline', '~/.cline/data'),
  ];
}

/** Reads the file that Roo Code imports on start. Its settings themselves are in secret storage. */
async function ofRooCode({ home, setting }: PlacesOfOthers): Promise<readonly FoundService[]> {
  const path = setting('roo-cline.autoImportSettingsPath');
  if (typeof path !== 'string' || path === '' || home === undefined) return [];
  const isBelowHome = path.startsWith('~/') || path.startsWith('~\\');
  const file = isBelowHome
    ? vscode.Uri.joinPath(home, ...path.slice(2).split(/[\\/]/))
    : home.with({ path: vscode.Uri.file(path).path });
  return placed(rooServices(await read(file)), 'Roo Code', path);
}

async function ofCode({ user, setting }: PlacesOfOthers): Promise<readonly FoundService[]> {
  const name = filesOfOthers.code;
  return placed(
    codeServices(await read(user, name), setting('github.copilot.chat.customOAIModels')),
    'VS Code',
    name,
  );
}

function placed(
  services: readonly ServiceOfOther[],
  owner: string,
  source: string,
): readonly FoundService[] {
  return services.map((service) => ({ ...service, owner, source }));
}

/** The text of a file; empty if it doesn't exist or can't be read. */
async function read(folder: vscode.Uri | undefined, ...names: readonly string[]): Promise<string> {
  if (folder === undefined) return '';
  const file = vscode.Uri.joinPath(folder, ...names);
  const { fs } = vscode.workspace;
  try {
    const { type, size } = await fs.stat(file);
    // A pipe would never end.
    if ((type & vscode.FileType.File) === 0 || size > maxFileBytes) return '';
    return new TextDecoder().decode(await fs.readFile(file));
  } catch {
    return '';
  }
}
