import { wordSet } from '../support/text.ts';
import {
  foldCase,
  foldOnVolume,
  isShortName,
  type Location,
  relativeSegments,
  segmentsOf,
  type Target,
  withSegments,
  type WorkspaceFolder,
} from '../files/places.ts';

/**
 * Names of files and folders that can later run code, give permissions, or instruct an agent: class
 * D of the policy. Each edit of them, or of anything inside, needs a separate approval.
 */
const names = wordSet(
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
  '.github': wordSet(
    'workflows actions agents hooks prompts instructions skills copilot-instructions.md',
  ),
  spool: wordSet('cron at'),
  programs: wordSet('startup'),
};

/** Folders in the home folder, without a leading dot, that start programs or hold settings. */
const ofHome = wordSet('library appdata');

/** True if a name in the path makes an edit need a separate approval. */
export function hasProtectedName({ named, location }: Target, home: Location | undefined): boolean {
  return [named, location].some((candidate) => {
    const [first] = (home && relativeSegments(home, candidate, foldCase)) ?? [];
    if (first !== undefined && isProtectedInHome(first)) return true;
    const segments = segmentsOf(candidate.path).map(foldOnVolume);
    return segments.some((segment, index) => {
      const next = segments[index + 1] ?? '';
      const below = Object.hasOwn(inFolder, segment) ? inFolder[segment] : undefined;
      if (isShortName(segment) || below?.has(next) === true) return true;
      return names.has(segment) || patterns.some((pattern) => pattern.test(segment));
    });
  });
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

/**
 * Folders whose content programs load or run automatically: installed packages, environments, build
 * hooks.
 */
const toolFolders = wordSet(
  // packages and environments
  'node_modules bower_components jspm_packages venv virtualenv site-packages dist-packages __pypackages__ __pycache__ mise-tasks',
);

/** Names of files that tools run, or that tell them what to run. */
const toolNames = wordSet(
  // packages of JavaScript
  'npm-shrinkwrap.json bun.lockb bunfig.toml deno.json deno.jsonc binding.gyp nx.json turbo.json lerna.json rush.json angular.json nodemon.json vercel.json netlify.toml wrangler.toml jsr.json project.json knexfile.js knexfile.ts tslint.json biome.json biome.jsonc dprint.json oxlintrc.json truffle-config.js tsconfig.json jsconfig.json rescript.json wrangler.jsonc typedoc.json typedoc.js cucumber.js cucumber.json ormconfig.js ormconfig.ts ormconfig.json redocly.yaml redocly.yml brocfile.js jasmine.json gatsby-config.js gatsby-config.ts serverless.yml serverless.yaml ember-cli-build.js brunch-config.js gatsby-node.js gatsby-browser.js gatsby-ssr.js electron-builder.yml electron-builder.json testem.js testem.json nightwatch.json pnpmfile.js pnpmfile.cjs bower.json workspace.json workspace.jsonc import_map.json firebase.json app.json eas.json now.json moon.yml truffle.js',
  // Python
  'pyproject.toml setup.cfg tox.ini noxfile.py pytest.ini pytest.toml pipfile hatch.toml hatch_build.py fabfile.py dodo.py conanfile.py conanfile.txt sitecustomize.py usercustomize.py constraints.txt environment.yml environment.yaml uv.toml pixi.toml manage.py tasks.py mypy.ini ruff.toml tox.toml pdm.toml poetry.toml conf.py pavement.py locustfile.py snakefile pylintrc mkdocs.yml buildout.cfg invoke.yaml dvc.yaml alembic.ini env.py',
  // builds
  'pom.xml build.xml build.sc project.clj deps.edn gradlew gradlew.bat mvnw mvnw.cmd cmakelists.txt cmakepresets.json cmakeuserpresets.json bsdmakefile configure configure.ac configure.in meson.build sconstruct sconscript wscript justfile rakefile gemfile guardfile capfile podfile fastfile dangerfile brewfile build build.bazel workspace workspace.bazel module.bazel buck premake5.lua xmake.lua vcpkg.json build.zig build.zig.zon package.swift setup.hs stack.yaml mix.exs rebar.config pubspec.yaml build.yaml composer.json rust-toolchain rust-toolchain.toml go.work nuget.config gradle-wrapper.properties gradle-wrapper.jar libs.versions.toml magefile.go config.ru thorfile berksfile cartfile jenkinsfile.groovy shadow-cljs.edn build.boot build.properties dune dune-project cabal.project package.yaml gleam.toml global.json dotnet-tools.json pants.toml meson_options.txt buf.gen.yaml foundry.toml anchor.toml codegen.yml codegen.ts build.mill build.mill.scala build.mill.yaml package.mill package.mill.scala bb.edn build.clj ivy.xml module.yaml makefile.toml makefile.pl build.pl cpanfile trunk.toml dioxus.toml bacon.toml tauri.conf.json tupfile tuprules.tup jamfile jamroot kbuild kconfig targets meson.options cmakelists.cmake build.ninja build.cake setup.lhs shakefile.hs hie.yaml dub.json dub.sdl config.nims shard.yml make.jl gems.rb rakefile.rb appraisals appfile matchfile pluginfile mintfile puppetfile kitchen.yml rebar.config.script melos.yaml pubspec_overrides.yaml project.yml tuist project.swift launchsettings.json directory.build.rsp msbuild.rsp paket.dependencies psakefile.ps1 buf.yaml gqlgen.yml sqlc.yaml air.toml config.exs runtime.exs dev.exs test.exs prod.exs build.jl activate.r book.toml dist.ini',
  // programs in other languages, and their checkers
  'phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist rector.php artisan compile_commands.json compile_flags.txt analysis_options.yaml psalm.xml phpcs.xml phpcs.xml.dist ecs.php robofile.php deploy.php castor.php captainhook.json infection.json grumphp.yml codeception.yml behat.yml clippy.toml',
  // editors, shells and other version control systems
  'ansible.cfg helmfile.yaml lefthook-local.yml lefthook-local.yaml session.vim dir-locals-2.el',
  // containers and machines
  'docker-bake.hcl skaffold.yaml tiltfile earthfile vagrantfile procfile devbox.json devfile.yaml devspace.yaml okteto.yml werf.yaml garden.yml project.garden.yml dagger.json cdk.json pulumi.yaml samconfig.toml terragrunt.hcl molecule.yml mprocs.yaml process-compose.yaml fly.toml railway.json railway.toml render.yaml heroku.yml app.yaml',
  // continuous integration
  'bitbucket-pipelines.yml appveyor.yml cloudbuild.yaml codemagic.yaml buildspec.yml circle.yml wercker.yml shippable.yml screwdriver.yaml codefresh.yml bitrise.yml codeship-steps.yml codeship-services.yml cloudbuild.json buildspec.yaml renovate.json renovate.json5 amplify.yml atlantis.yaml',
  // agents
  'claude.local.md opencode.json opencode.jsonc crush.json crush.md qwen.md warp.md skill.md agent.md agents.override.md mcp-config.json mcp_config.json mcp_settings.json codex.md',
);

const toolPatterns: readonly RegExp[] = [
  // `vite.config.ts`, `karma.conf.js`
  /\.config\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|py|coffee)$/,
  /\.conf\.(?:[cm]?[jt]s|py|json)$/,
  // `tsconfig.build.json`
  /^[jt]sconfig\..*json$/,
  /^mise(?:\..*)?\.toml$/,
  /^package@swift.*\.swift$/,
  /^(?:azure|bitbucket)-pipelines.*\.ya?ml$/,
  // `vitest.workspace.ts`, `jest.setup.js`, `webpack.prod.js`
  /^(?:ava|babel|cypress|esbuild|eslint|jest|karma|metro|mocha|nyc|playwright|postcss|rollup|rspack|stylelint|swc|tailwind|tsup|vite|vitest|webpack|wdio)(?:[._-].*)?\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml)$/,
  /^setuptests\.[cm]?[jt]sx?$/,
  /^(?:gulp|grunt|jake|cake)file(?:\..*)?$/,
  /^requirements.*\.(?:txt|in)$/,
  /^(?:docker|container|proc)file(?:\..*)?$/,
  /\.(?:docker|container)file$/,
  /^(?:docker-)?compose(?:\..*)?\.ya?ml$/,
  /^(?:gnu)?makefile\.(?:am|in|inc|common|local|win|unix)$/,
  /^taskfile(?:\..*)?\.ya?ml$/,
  /\.(?:mk|mak|make|cmake|just|rake|gemspec|podspec|rockspec|nimble|nims|sbt|mill|bzl|cabal|nix|ninja|gypi?|pth)$/,
  /\.(?:[a-z]*proj|pubxml|nuspec|xcscheme|xcconfig|sln|slnx|opam|sublime-project|sublime-build|service|timer|socket|desktop)$/,
  /\.(?:agent|prompt|chatmode|instructions)\.md$/,
];

/**
 * True if programs run the file, or follow it, automatically: configurations of linters, bundlers
 * and test runners, builds, installed packages, and everything with a leading dot, since no list has
 * all tools. Class C2 of the policy: an approval of edits doesn't cover it.
 */
export function isToolFile(
  { named, location, label }: Target,
  workspace: readonly WorkspaceFolder[] = [],
): boolean {
  const namesBelow = (folder: Location, file: Location): readonly string[] | undefined =>
    relativeSegments(folder, file, foldCase)?.map(foldOnVolume);
  const labelNames = segmentsOf(label).map(foldOnVolume);
  // The requested path below the innermost workspace folder.
  const all = segmentsOf(location.path);
  const root = withSegments(location, all.slice(0, all.length - labelNames.length));
  const [requested = []] = [root, ...workspace.map((folder) => folder.location)]
    .flatMap((folder) => {
      const names = namesBelow(folder, named);
      return names === undefined ? [] : [names];
    })
    .toSorted((path, other) => path.length - other.length);
  // A repository can make one of its folders another workspace folder.
  const inFolders = workspace.flatMap((folder) => namesBelow(folder.location, location) ?? []);
  if ([...labelNames, ...requested, ...inFolders].some((name) => name.startsWith('.'))) return true;
  return [named, location].some(({ path }) => {
    const segments = segmentsOf(path).map(foldOnVolume);
    const name = segments.at(-1) ?? '';
    if (segments.some((folder) => toolFolders.has(folder))) return true;
    return toolNames.has(name) || toolPatterns.some((pattern) => pattern.test(name));
  });
}
