/** A file that a reply names. */
export interface NamedFile {
  /** With `/` between its names, and without `./` in front. */
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
}

const longestPath = 260;

/** Endings that are those of files and hardly ever the last name of an expression (`console.log`). */
const endings = new Set(
  'astro bash bat c cc cfg clj cjs cmake cmd conf cpp cs cshtml css csv cts cxx dart diff dockerfile editorconfig ejs elm env erb erl ex exs fish fs fsx gemspec go gradle graphql groovy h hbs hcl hpp hrl hs htm html http ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua mak md mdx mjs mk ml mli mm mts nim nix pas php pl plist pm prisma properties proto ps1 pug py pyi rake razor rb rs rst sass sbt scala scss service sh sln sol sql svelte svg swift tex tf tfvars toml ts tsx twig txt v vb vhd vim vue xaml xhtml xml yaml yml zig zsh'.split(
    ' ',
  ),
);

/** Files that have no ending, or nothing else. */
const names =
  /^(?:\.(?:babelrc|dockerignore|editorconfig|env(?:\.[\w-]+)?|eslintrc|gitattributes|gitignore|gitmodules|npmignore|npmrc|nvmrc|prettierrc|prettierignore|stylelintrc)|Brewfile|CMakeLists\.txt|CODEOWNERS|Dockerfile(?:\.[\w-]+)?|Gemfile|go\.mod|go\.sum|Jenkinsfile|Justfile|LICENSE|Makefile|Pipfile|Procfile|Rakefile|Vagrantfile)$/;

/** Products and expressions that look like a file. */
const noFiles =
  /^(?:angular|chart|d3|express|ember|moment|next|node|nuxt|p5|react|socket|solid|three|vue)\.js$|^(?:req|request|res|response)\.json$/i;

const segment = /^[\p{L}\p{N}_.@+()[\]$~-]+$/u;
const host = /\.(?:ai|app|com|dev|edu|gov|io|net|org)$/i;
const lines = /(?::(\d+)(?:[-–:]\d+){0,2}|#L(\d+)(?:-L?\d+)?)$/;

/**
 * Reads a path in a project, with a line or a range behind it or without. Undefined where the text
 * may be something else.
 * @param isMeant whether something else says that it is a file, so that any ending will do
 */
export function readPath(text: string, isMeant = false): NamedFile | undefined {
  const place = lines.exec(text);
  const path = text
    .slice(0, place?.index)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '');
  if (path.length > longestPath || !isPath(path, isMeant)) return undefined;
  const line = Number(place?.[1] ?? place?.[2] ?? 0);
  return line > 0 && Number.isSafeInteger(line) ? { path, line } : { path };
}

/** What follows the last dot of a file's name; empty where there is none. */
export function endingOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

function isPath(path: string, isMeant: boolean): boolean {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  if (segments.some((one) => !segment.test(one) || /^\.+$/.test(one))) return false;
  if (segments.length > 1 && host.test(segments[0] ?? '')) return false;
  if (names.test(name)) return true;
  if (segments.length === 1 && noFiles.test(name)) return false;
  return isMeant
    ? /.\.[\w-]+$/.test(name)
    : /^.*[^.].*\./.test(name) && endings.has(endingOf(name));
}
