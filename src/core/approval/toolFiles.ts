import { foldOnVolume, segmentsOf, type Target } from '../workspace/places.ts';

/**
 * Folders whose content programs load or run by themselves: installed packages, environments, hooks
 * of builds, the folders of agents. With the names and patterns below: class C2 of the policy.
 */
const folders = namesOf(
  // packages and environments
  'node_modules bower_components jspm_packages .pnpm .pnpm-store .yalc .venv venv .virtualenv virtualenv .virtualenvs site-packages dist-packages __pypackages__ __pycache__ .tox .nox .eggs .bundle',
  // builds and continuous integration
  '.hg .svn .jj .bzr .fleet .nova .codesandbox .terraform .mvn .storybook .buildkite .semaphore .teamcity .woodpecker .drone',
  // agents
  '.agent .agents .ai .aiassistant .amazonq .amp .augment .codeium .copilot .crush .devin .factory .goose .junie .kilocode .kiro .opencode .openhands .qwen .serena .skills .tabnine .trae .warp .zencoder',
);

/** Names of files that tools run, or from which they learn what to run. */
const files = namesOf(
  // packages of JavaScript
  'npm-shrinkwrap.json bun.lockb bunfig.toml deno.json deno.jsonc binding.gyp nx.json turbo.json lerna.json rush.json angular.json nodemon.json vercel.json netlify.toml wrangler.toml jsr.json project.json knexfile.js knexfile.ts tslint.json biome.json biome.jsonc dprint.json oxlintrc.json truffle-config.js serverless.yml serverless.yaml',
  // Python
  'pyproject.toml setup.cfg tox.ini noxfile.py pytest.ini .pytest.ini pytest.toml .pytest.toml pipfile hatch.toml hatch_build.py fabfile.py dodo.py conanfile.py conanfile.txt sitecustomize.py usercustomize.py constraints.txt environment.yml environment.yaml uv.toml pixi.toml manage.py tasks.py mypy.ini .flake8 ruff.toml .ruff.toml',
  // builds
  'pom.xml build.xml build.sc project.clj deps.edn gradlew gradlew.bat mvnw mvnw.cmd cmakelists.txt cmakepresets.json cmakeuserpresets.json bsdmakefile configure configure.ac configure.in meson.build sconstruct sconscript wscript justfile .justfile rakefile gemfile guardfile capfile podfile fastfile dangerfile brewfile build build.bazel workspace workspace.bazel module.bazel buck .buckconfig premake5.lua xmake.lua vcpkg.json build.zig build.zig.zon package.swift setup.hs stack.yaml mix.exs rebar.config pubspec.yaml build.yaml composer.json rust-toolchain rust-toolchain.toml go.work nuget.config gradle-wrapper.properties gradle-wrapper.jar libs.versions.toml magefile.go config.ru thorfile berksfile cartfile jenkinsfile.groovy shadow-cljs.edn build.boot build.properties .sbtopts .jvmopts dune dune-project cabal.project package.yaml gleam.toml global.json dotnet-tools.json .bazelversion pants.toml meson_options.txt buf.gen.yaml foundry.toml anchor.toml codegen.yml codegen.ts',
  // programs of other languages, and what checks them
  'phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist .php-cs-fixer.php .php-cs-fixer.dist.php rector.php artisan .formatter.exs .rubocop.yml .golangci.yml .golangci.yaml .air.toml .clangd .clang-tidy compile_commands.json compile_flags.txt .ccls .rprofile .renviron .swiftlint.yml .scalafix.conf analysis_options.yaml',
  // editors, shells and other systems of versions
  '.nvim.lua .dir-locals.el .emacs .profile .bash_profile .bash_login .zshenv .zprofile .zlogin .xprofile .gdbinit .lldbinit .tmux.conf ansible.cfg helmfile.yaml',
  // containers and machines
  'docker-bake.hcl skaffold.yaml tiltfile earthfile vagrantfile procfile devbox.json .gitpod.yml .replit .tool-versions mise.toml .mise.toml',
  // continuous integration
  'bitbucket-pipelines.yml .drone.yml appveyor.yml .appveyor.yml cloudbuild.yaml codemagic.yaml .woodpecker.yml .cirrus.yml buildspec.yml',
  // agents
  'claude.local.md .kilocodemodes opencode.json opencode.jsonc crush.json .goosehints .augment-guidelines qwen.md warp.md skill.md',
);

const patterns: readonly RegExp[] = [
  // `vite.config.ts`, `karma.conf.js`, `.eslintrc.json`
  /\.config\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|py|coffee)$/,
  /\.conf\.[cm]?[jt]s$/,
  /^\.[\w-]+rc(?:\.[\w.-]+)?$/,
  // `vitest.workspace.ts`, `jest.setup.js`, `webpack.prod.js`
  /^(?:ava|babel|cypress|esbuild|eslint|jest|karma|metro|mocha|nyc|playwright|postcss|rollup|rspack|stylelint|swc|tailwind|tsup|vite|vitest|webpack|wdio)(?:[._-].*)?\.(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml)$/,
  /^setuptests\.[cm]?[jt]sx?$/,
  /^(?:gulp|grunt|jake|cake)file(?:\..*)?$/,
  /^\.pnp\./,
  /^requirements.*\.(?:txt|in)$/,
  /^(?:docker|container|proc)file(?:\..*)?$/,
  /\.(?:docker|container)file$/,
  /^(?:docker-)?compose(?:\..*)?\.ya?ml$/,
  /^(?:gnu)?makefile\.(?:am|in|inc|common|local|win|unix)$/,
  /^taskfile(?:\..*)?\.ya?ml$/,
  /\.(?:mk|mak|make|cmake|just|rake|gemspec|sbt|bzl|cabal|nix|gypi?|pth)$/,
  /\.(?:pbxproj|sln|slnx|opam|sublime-project|service|timer|socket|desktop)$/,
  /^\.aider/,
  /\.(?:agent|prompt|chatmode|instructions)\.md$/,
];

function namesOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/**
 * Whether programs run the file, or do what it says, without being told to: configurations of linters,
 * bundlers and test runners, builds, installed packages. An approval of edits does not cover it.
 */
export function isToolFile({ named, location }: Pick<Target, 'named' | 'location'>): boolean {
  return [named, location].some(({ path }) => {
    const names = segmentsOf(path).map(foldOnVolume);
    const name = names.at(-1) ?? '';
    if (names.some((one) => folders.has(one))) return true;
    return files.has(name) || patterns.some((pattern) => pattern.test(name));
  });
}
