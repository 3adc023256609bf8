import { fold, segmentsBelow, segmentsOf } from './places.ts';
import type { Location, Target } from './target.ts';
import { foldOnVolume, isShortName } from './volumeNames.ts';

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
  const [first] = (home && segmentsBelow(home, place, fold)) ?? [];
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
