import {
  foldCase,
  foldOnVolume,
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
  type Target,
  type WorkspaceFolder,
} from '../workspace/places.ts';

/**
 * Folders whose content programs load or run automatically: installed packages, environments, build
 * hooks.
 */
const folders = namesOf(
  // packages and environments
  'node_modules bower_components jspm_packages venv virtualenv site-packages dist-packages __pypackages__ __pycache__ mise-tasks',
);

/** Names of files that tools run, or that tell them what to run. */
const files = namesOf(
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

const patterns: readonly RegExp[] = [
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

function namesOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/**
 * True if programs run the file, or follow it, automatically: configurations of linters, bundlers
 * and test runners, builds, installed packages, and everything with a leading dot, since no list has
 * all tools. Class C2 of the policy: an approval of edits doesn't cover it.
 */
export function isToolFile(target: Target, workspace: readonly WorkspaceFolder[] = []): boolean {
  const { named, location, label } = target;
  // A repository can make one of its folders another workspace folder.
  const below = workspace.map((folder) => namesBelow(folder.location, location) ?? []);
  const paths = [namesIn(label), namesBelowRoot(target, workspace), ...below];
  if (paths.flat().some((name) => name.startsWith('.'))) return true;
  return [named, location].some(({ path }) => {
    const names = namesIn(path);
    const name = names.at(-1) ?? '';
    if (names.some((folder) => folders.has(folder))) return true;
    return files.has(name) || patterns.some((pattern) => pattern.test(name));
  });
}

function namesIn(path: string): readonly string[] {
  return segmentsOf(path).map(foldOnVolume);
}

/** The names of the requested path below the innermost workspace folder; none outside. */
function namesBelowRoot(
  { named, location, label }: Target,
  workspace: readonly WorkspaceFolder[],
): readonly string[] {
  const names = segmentsOf(location.path);
  const root = withSegments(location, names.slice(0, names.length - segmentsOf(label).length));
  const roots = [root, ...workspace.map((folder) => folder.location)];
  const below = roots.flatMap((folder) => {
    const inside = namesBelow(folder, named);
    return inside === undefined ? [] : [inside];
  });
  return below.toSorted((path, other) => path.length - other.length)[0] ?? [];
}

function namesBelow(folder: Location, location: Location): readonly string[] | undefined {
  return relativeSegments(folder, location, foldCase)?.map(foldOnVolume);
}
