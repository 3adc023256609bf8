import {
  foldCase,
  relativeSegments,
  segmentsOf,
  type Location,
  type Target,
} from '../workspace/places.ts';

/**
 * Names of files and folders that make a later action run code, hand on rights, or tell an agent
 * what to do: class D of the policy. An edit of them, or of anything below them, is asked one by one.
 */
const names = new Set(
  [
    // editors
    '.vscode .idea .devcontainer .devcontainer.json .zed .vs',
    // git and what runs at its events
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

const ofGithub = new Set(
  'workflows actions agents hooks prompts instructions copilot-instructions.md'.split(' '),
);

/** Folders of the home that are no dot-folders and start programs or hold their settings. */
const ofHome = new Set(['library', 'appdata']);

/** Whether an edit there needs a question of its own, by the names on the way to it. */
export function hasProtectedName({ named, location }: Target, home: Location | undefined): boolean {
  return [named, location].some(
    (place) => isProtectedPath(segmentsOf(place.path)) || isOfHome(place, home),
  );
}

function isProtectedPath(path: readonly string[]): boolean {
  const segments = path.map(foldOnVolume);
  return segments.some((segment, index) => {
    if (isShortName(segment)) return true;
    const next = segments[index + 1];
    if (segment === '.github' && next !== undefined && ofGithub.has(next)) return true;
    return names.has(segment) || patterns.some((pattern) => pattern.test(segment));
  });
}

/** What lies in the home folder with a dot in front: settings of shells and programs. */
function isOfHome(place: Location, home: Location | undefined): boolean {
  const [first] = (home && relativeSegments(home, place, foldCase)) ?? [];
  return first !== undefined && isProtectedInHome(first);
}

/** Whether shells and programs read what has that name directly in the home. */
export function isProtectedInHome(name: string): boolean {
  return name.startsWith('.') || ofHome.has(foldOnVolume(name));
}

/** Starts of files that a system runs: scripts, ELF, Mach-O (and its fat form), Windows. */
const magic: readonly (readonly number[])[] = [
  [0x23, 0x21],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xfe, 0xed, 0xfa],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x4d, 0x5a],
];

/** Whether a file with these first bytes is a program, once it may be run. */
export function startsAsProgram(head: Uint8Array): boolean {
  // A mark of UTF-8 in front does not keep a shell from running it.
  const bytes = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.slice(3) : head;
  return magic.some((start) => start.every((byte, index) => bytes[index] === byte));
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

/** Beginnings of their short names, also of those with a checksum in them, and ends. */
const ofShort =
  /^(env|id_[der]|_?netrc|npmrc|pypirc|git-c|htpas|kubec|(en|id|ne|np|py|gi|ht|ku)[\da-f]{4}~)|\.tfs$/;

/** Whether one of the names looks like that of a file with secrets. */
export function hasSecretName(path: string): boolean {
  const names = segmentsOf(path).map(foldOnVolume);
  return names.some((name, index) => isSecretName(name) || isOfKube(name, names[index - 1]));
}

function isOfKube(name: string, folder = ''): boolean {
  return name.startsWith('config') && /^(\.kube|kube~\d+)$/.test(folder);
}

function isSecretName(name: string): boolean {
  if (isShortName(name) && ofShort.test(name)) return true;
  return secretNames.some((pattern) => pattern.test(name));
}

/** Whether it may be a key: many files that end so are none, and their first bytes tell. */
export function mayBeKey(path: string): boolean {
  return foldOnVolume(path).endsWith('.key');
}

/**
 * Whether reading the file is asked one by one.
 * @param head its first bytes; undefined where nobody looked, and the name alone decides.
 */
export function isSecret(
  { named, location, kind }: Pick<Target, 'named' | 'location' | 'kind'>,
  head: Uint8Array | undefined,
): boolean {
  // A folder tells names, never content.
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
 * A name as a volume of Windows may read it, which any machine can have mounted: dots and spaces at
 * its end do not count. Like `foldCase`, it is for finding danger, not for allowing.
 */
function foldOnVolume(name: string): string {
  return foldCase(name).replace(/[. ]+$/, '');
}

/** Whether such a volume may have given it to a longer name: `GIT~1`. Nobody can tell to which. */
function isShortName(name: string): boolean {
  return /^(?=[^.]{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/.test(name);
}

/** What a well-known secret looks like, and how it is called. */
const shapes: readonly (readonly [name: string, shape: RegExp])[] = [
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

/** The kind of secret that the text seems to hold, by the shapes that everybody knows. */
export function findSecretToken(text: string): string | undefined {
  return shapes.find(([, shape]) => shape.test(text))?.[0];
}
