import {
  foldCase,
  foldOnVolume,
  isShortName,
  relativeSegments,
  segmentsOf,
  type Location,
  type Target,
} from '../workspace/places.ts';

/**
 * Names of files and folders that can later run code, give permissions, or instruct an agent: class
 * D of the policy. Each edit of them, or of anything inside, needs a separate approval.
 */
const names = new Set(
  [
    // editors
    '.vscode .idea .devcontainer .devcontainer.json .zed .vs',
    // Git, and programs that run at its events
    '.git .gitmodules .gitconfig .husky .githooks lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml .pre-commit-config.yaml .pre-commit-config.yml',
    // packages and builds
    'package.json .npmrc .yarn pnpm-workspace.yaml cargo.toml .cargo build.rs gradle.properties web.config server.xml setup.py conftest.py makefile gnumakefile',
    // continuous integration
    '.gitlab-ci.yml .circleci .travis.yml azure-pipelines.yml jenkinsfile',
    // agents
    'agents.md claude.md gemini.md .cursor .cursorrules .cline .continue .claude .codex .gemini .agents .mcp.json mcp.json .windsurf .windsurfrules',
    // the environment
    '.envrc .direnv',
    // programs that a system starts automatically: at a time, at startup, at login
    'crontab crontabs anacrontab systemd autostart init.d rc.local rc.d profile.d launchagents launchdaemons startupitems sudoers sudoers.d',
  ].flatMap((line) => line.split(' ')),
);

const patterns: readonly RegExp[] = [
  /\.code-workspace$/,
  /\.lock$/,
  /-lock\.(json|ya?ml)$/,
  /^cron\.(d|hourly|daily|weekly|monthly|yearly|allow|deny)$/,
  /^\.yarnrc/,
  /^\.pnpmfile\./,
  /\.gradle/,
  /\.(csproj|fsproj|vbproj|vcxproj|proj|props|targets)$/,
  /^\.clinerules/,
  /^\.roo/,
  /^\.env/,
];

/** Names that are protected only inside a folder with a certain name. */
const inFolder: Readonly<Record<string, ReadonlySet<string>>> = {
  '.github': new Set(
    'workflows actions agents hooks prompts instructions skills copilot-instructions.md'.split(' '),
  ),
  spool: new Set(['cron', 'at']),
  programs: new Set(['startup']),
};

/** Folders in the home folder, without a leading dot, that start programs or hold settings. */
const ofHome = new Set(['library', 'appdata']);

/** True if a name in the path makes an edit need a separate approval. */
export function hasProtectedName({ named, location }: Target, home: Location | undefined): boolean {
  return [named, location].some(
    (candidate) => isProtectedPath(segmentsOf(candidate.path)) || isOfHome(candidate, home),
  );
}

function isProtectedPath(path: readonly string[]): boolean {
  const segments = path.map(foldOnVolume);
  return segments.some((segment, index) => {
    if (isShortName(segment)) return true;
    const next = segments[index + 1];
    if (
      next !== undefined &&
      Object.hasOwn(inFolder, segment) &&
      inFolder[segment]?.has(next) === true
    )
      return true;
    return names.has(segment) || patterns.some((pattern) => pattern.test(segment));
  });
}

/** True if the first name of a path in the home folder is one that shells and programs read. */
function isOfHome(location: Location, home: Location | undefined): boolean {
  const [first] = (home && relativeSegments(home, location, foldCase)) ?? [];
  return first !== undefined && isProtectedInHome(first);
}

/** True if shells and programs read files with this name in the home folder. */
export function isProtectedInHome(name: string): boolean {
  return name.startsWith('.') || ofHome.has(foldOnVolume(name));
}

/** First bytes of programs: scripts, ELF, Mach-O (and its fat form), Windows. */
const magic: readonly (readonly number[])[] = [
  [0x23, 0x21],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xfe, 0xed, 0xfa],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x4d, 0x5a],
];

/** True if a file with these first bytes is a program if it is executable. */
export function startsAsProgram(head: Uint8Array): boolean {
  // A shell also runs a script that begins with a byte order mark of UTF-8.
  const bytes = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.slice(3) : head;
  return magic.some((start) => start.every((byte, index) => bytes[index] === byte));
}
