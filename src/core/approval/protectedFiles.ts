import {
  foldCase,
  relativeSegments,
  segmentsOf,
  type Location,
  type Target,
} from '../workspace/places.ts';

/**
 * Names of files and folders that make a later action run code, pass on permissions, or instruct an
 * agent: class D of the policy. Each edit of them, or of anything inside them, requires separate
 * approval.
 */
const names = new Set(
  [
    // editors
    '.vscode .idea .devcontainer .devcontainer.json .zed .vs',
    // Git and its hooks
    '.git .gitmodules .gitattributes .gitconfig .husky .githooks lefthook.yml lefthook.yaml .lefthook.yml .pre-commit-config.yaml',
    // packages and builds
    'package.json .npmrc .yarn pnpm-workspace.yaml cargo.toml .cargo build.rs gradle.properties web.config server.xml setup.py conftest.py makefile gnumakefile',
    // continuous integration
    '.gitlab-ci.yml .circleci .travis.yml azure-pipelines.yml jenkinsfile',
    // agents
    'agents.md claude.md gemini.md .cursor .cursorrules .cline .continue .claude .codex .gemini .mcp.json mcp.json .windsurf .windsurfrules',
    // the environment
    '.envrc .direnv',
  ].flatMap((line) => line.split(' ')),
);

const patterns: readonly RegExp[] = [
  /\.code-workspace$/,
  /\.lock$/,
  /-lock\.(json|yaml)$/,
  /^\.yarnrc/,
  /^\.pnpmfile\./,
  /\.gradle/,
  /\.(csproj|fsproj|vbproj|vcxproj|proj|props|targets)$/,
  /^\.clinerules/,
  /^\.roo/,
  /^\.env/,
];

const githubNames = new Set(
  'workflows actions agents hooks prompts instructions copilot-instructions.md'.split(' '),
);

/**
 * Folders of the home folder without a leading dot that start programs or contain their settings.
 */
const homeFolders = new Set(['library', 'appdata']);

/** Whether an edit of the target requires separate approval because of the names in its path. */
export function hasProtectedName({ named, location }: Target, home: Location | undefined): boolean {
  return [named, location].some(
    (place) => isProtectedPath(segmentsOf(place.path)) || isProtectedInHomeFolder(place, home),
  );
}

function isProtectedPath(path: readonly string[]): boolean {
  const segments = path.map(foldOnVolume);
  return segments.some((segment, index) => {
    if (isShortName(segment)) return true;
    const next = segments[index + 1];
    if (segment === '.github' && next !== undefined && githubNames.has(next)) return true;
    return names.has(segment) || patterns.some((pattern) => pattern.test(segment));
  });
}

/**
 * Whether a location is inside a dot-folder, or a similar one, of the home folder: settings of
 * shells and programs.
 */
function isProtectedInHomeFolder(place: Location, home: Location | undefined): boolean {
  const [first] = (home && relativeSegments(home, place, foldCase)) ?? [];
  return first !== undefined && isProtectedInHome(first);
}

/** Whether shells and programs read files or folders of this name directly in the home folder. */
export function isProtectedInHome(name: string): boolean {
  return name.startsWith('.') || homeFolders.has(foldOnVolume(name));
}

/**
 * Magic numbers of files that a system runs: scripts, ELF, Mach-O (including universal binaries),
 * Windows.
 */
const magicNumbers: readonly (readonly number[])[] = [
  [0x23, 0x21],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xfe, 0xed, 0xfa],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x4d, 0x5a],
];

/** Whether a file with these first bytes is a program if it is executable. */
export function startsAsProgram(head: Uint8Array): boolean {
  // A UTF-8 byte order mark does not keep a shell from running the file.
  const bytes = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.slice(3) : head;
  return magicNumbers.some((start) => start.every((byte, index) => bytes[index] === byte));
}

const secretNames: readonly RegExp[] = [
  /^\.env/,
  /\.(pem|p12|pfx|jks|keystore)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^[._]netrc$/,
  /^\.(npmrc|pypirc|git-credentials|htpasswd)$/,
  /(^|\.)kubeconfig$/,
  /(^|[._-])kubeconfig\.(ya?ml|json)$/,
  /\.tfstate(\.|$)/,
];

/** Windows short names of such files: their starts, including those with a checksum, and ends. */
const secretShortName =
  /^(env|id_[der]|_?netrc|npmrc|pypirc|git-c|htpas|kubec|(en|id|ne|np|py|gi|ht|ku)[\da-f]{4}~)|\.tfs$/;

/** Whether a segment of the path looks like the name of a file with secrets. */
export function hasSecretName(path: string): boolean {
  const names = segmentsOf(path).map(foldOnVolume);
  return names.some((name, index) => isSecretName(name) || isKubeConfig(name, names[index - 1]));
}

function isKubeConfig(name: string, folder = ''): boolean {
  return name.startsWith('config') && /^(\.kube|kube~\d+)$/.test(folder);
}

function isSecretName(name: string): boolean {
  if (isShortName(name) && secretShortName.test(name)) return true;
  return secretNames.some((pattern) => pattern.test(name));
}

/**
 * Whether the file may be a key: many files with this extension are not, so their first bytes
 * decide.
 */
export function mayBeKey(path: string): boolean {
  return foldOnVolume(path).endsWith('.key');
}

/**
 * Whether reading the file requires separate approval.
 *
 * @param head its first bytes; undefined if they were not read, and the name alone decides
 */
export function isSecret(
  { named, location, kind }: Pick<Target, 'named' | 'location' | 'kind'>,
  head: Uint8Array | undefined,
): boolean {
  // Listing a folder shows names, never content.
  if (kind === 'folder') return false;
  const paths = [named.path, location.path];
  if (paths.some(hasSecretName)) return true;
  return paths.some(mayBeKey) && (head === undefined || looksLikeKey(head));
}

function looksLikeKey(head: Uint8Array): boolean {
  if (head.includes(0)) return true;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return text.trimStart().startsWith('-----BEGIN');
  } catch {
    return true;
  }
}

/**
 * Folds a name like a Windows volume, which any machine can have mounted: trailing dots and spaces
 * are ignored. Like `foldCase`, it is suited to detect danger, not to allow something.
 */
function foldOnVolume(name: string): string {
  return foldCase(name).replace(/[. ]+$/, '');
}

/**
 * Whether the name may be a generated short name such as `GIT~1`. The long name cannot be
 * determined.
 */
function isShortName(name: string): boolean {
  return /^(?=[^.]{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/.test(name);
}

/** Patterns of well-known secrets, with their names. */
const secretPatterns: readonly (readonly [name: string, shape: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['GitHub token', /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{50,})/],
  ['GitLab token', /\bglpat-[\w-]{20}/],
  ['Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
  ['Google API key', /\bAIza[\w-]{35}\b/],
  ['Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['API key', /\bsk-[A-Za-z0-9_-]{20,}/],
];

/** The kind of secret that the text seems to contain, by well-known patterns. */
export function findSecretToken(text: string): string | undefined {
  return secretPatterns.find(([, shape]) => shape.test(text))?.[0];
}
