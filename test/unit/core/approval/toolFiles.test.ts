import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasProtectedName, isToolFile } from '../../../../src/core/approval/protectedFiles.ts';
import type { Target } from '../../../../src/core/workspace/places.ts';
import { fileAt, target } from './policyRig.ts';

/** Files that tools run, or that configure what tools run. */
const toolFiles = `
npm-shrinkwrap.json bun.lockb pom.xml pyproject.toml tox.ini noxfile.py pytest.ini setup.cfg Dockerfile Dockerfile.dev dev.Dockerfile
Containerfile docker-compose.yml compose.prod.yaml CMakeLists.txt CMakePresets.json a.cmake rules.mk deps.mak Makefile.am
eslint.config.js eslint.config.mjs eslint.config.ts .eslintrc .eslintrc.json .eslintrc.cjs vite.config.ts vite.config.mts vitest.config.ts
vitest.workspace.ts vitest.setup.ts jest.config.js jest.config.json jest.setup.ts jest-setup.js setupTests.js rollup.config.mjs webpack.config.js
webpack.prod.js webpack.config.babel.js rspack.config.ts babel.config.json .babelrc .babelrc.js karma.conf.js wdio.conf.ts playwright.config.ts
cypress.config.ts next.config.mjs svelte.config.js tailwind.config.cjs postcss.config.js .mocharc.yml .lintstagedrc.mjs
gulpfile.js Gruntfile.coffee Rakefile Gemfile a.gemspec Justfile justfile Taskfile.yml Vagrantfile Procfile build.xml build.sbt
gradlew gradlew.bat mvnw mvnw.cmd .mvn/jvm.config meson.build SConstruct BUILD WORKSPACE BUILD.bazel defs.bzl conanfile.py Package.swift mix.exs
composer.json deno.json bunfig.toml nx.json turbo.json binding.gyp .pnp.cjs requirements.txt requirements-dev.txt flake.nix esbuild.js
bitbucket-pipelines.yml .drone.yml cloudbuild.yaml .buildkite/pipeline.yml
node_modules/a/index.js packages/a/node_modules/.bin/tsc .venv/bin/activate .venv/lib/a.py venv/a.py lib/site-packages/a.py .tox/py/a.py
.aider.conf.yml .kiro/steering/a.md .junie/guidelines.md .opencode/agent/a.md .agents/a.md docs/a.prompt.md a.agent.md SKILL.md
gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar gradle/libs.versions.toml .hg/hgrc .jj/repo/config.toml
.clangd compile_commands.json .golangci.yml .rubocop.yml phpunit.xml .php-cs-fixer.php .Rprofile knexfile.ts biome.json tslint.json mypy.ini
.gitea/workflows/a.yml .forgejo/workflows/a.yml .theia/tasks.json .vscode-test.js .vscode-test.mjs .bunfig.toml .moon/tasks.yml .crush.json .rules .dagger/main.go
mise.local.toml mise.dev.toml build.mill ember-cli-build.js gatsby-node.js tauri.conf.json Makefile.toml hie.yaml cdk.json Package@swift-5.9.swift
.prettierrc.js .prettierrc.cjs .prettierrc.mjs .prettierrc.ts .prettierrc.cts .prettierrc.mts .prettierrc.x .stylelintrc .github/dependabot.yml .github/CODEOWNERS .changeset/config.json .changeset/a/b.md .foo/.gitignore
.foo .foo/bar/a.txt src/.hidden.ts a/.b/c.d .gitignore/a .editorconfig.js .a
manage.py tasks.py magefile.go Procfile.dev global.json .config/dotnet-tools.json App.xcodeproj/project.pbxproj a.sln units/a.service
tsconfig.json tsconfig.build.json jsconfig.json config/config.exs renv/activate.R deps/build.jl wrangler.jsonc rescript.json book.toml
alembic/env.py gatsby-config.js cucumber.js ormconfig.js typedoc.json redocly.yaml Brocfile.js dist.ini CRUSH.md stryker.conf.json
.gitignore .gitattributes .editorconfig .nvmrc .prettierrc .prettierrc.json .prettierignore .github/pull_request_template.md
.nvim.lua .dir-locals.el .profile .zshenv .gdbinit .terraform/modules/a/main.tf CLAUDE.local.md serverless.yml .fleet/run.json
`;

const plainFiles = `
src/app.ts README.md docs/docker.md src/dockerfiles.ts src/configure/a.ts src/build/a.ts src/workspace/a.ts config.ts src/config/index.ts
src/jester.ts src/vitals.ts webpacker.ts src/makefile.ts pom.ts index.html a.css nodemodules/a.js node_modules.md my_node_modules/a.js
src/venv.ts a.py setup_tests.py test/a.test.ts requirements.md main.c go.mod rc.ts src/src.ts
prompt.md instructions.md docs/agents/a.md a.b.c. src/tsconfig.ts docs/config.md src/environment.py
`;

const spellingsOf = (path: string): readonly string[] => [
  path,
  path.toUpperCase(),
  `packages/a/${path}`,
  path.replace(/^./, '$&\u200d'),
  `${path}.`,
];

describe('files that tools run', () => {
  for (const path of toolFiles.trim().split(/\s+/)) {
    it(`include ${path}, however it is spelled, and through links`, () => {
      for (const spelling of spellingsOf(path)) {
        assert.equal(isToolFile(target(spelling)), true, spelling);
        const linked = target('a.txt', { named: target(spelling).location });
        assert.equal(isToolFile(linked), true, spelling);
      }
    });
  }

  for (const path of plainFiles.trim().split(/\s+/)) {
    it(`exclude ${path}`, () => assert.equal(isToolFile(target(path)), false));
  }

  it('may also be protected, which takes precedence', () => {
    const both = target('node_modules/a/package.json');
    assert.equal(isToolFile(both) && hasProtectedName(both, undefined), true);
  });

  it('include all unknown names with a leading dot, in any folder', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}(?:\.[a-z]{1,4})?$/);
    const path = fc.tuple(fc.array(name, { maxLength: 3 }), name, fc.array(name, { maxLength: 3 }));
    fc.assert(
      fc.property(path, ([before, middle, after]) => {
        const all = [...before, `.x${middle}`, ...after].join('/');
        assert.equal(isToolFile(target(all)), true);
      }),
    );
  });

  it('are identified by names below the workspace, wherever it is', () => {
    const folder = fileAt('/home/me/.worktrees/app');
    const inside = (label: string): Target => {
      const location = fileAt(`/home/me/.worktrees/app/${label}`);
      return target(label, { location, named: location, label });
    };
    for (const folders of [[], [{ name: 'app', location: folder }]]) {
      assert.equal(isToolFile(inside('src/app.ts'), folders), false);
      assert.equal(isToolFile(inside('src/.app.ts'), folders), true);
    }
    // The workspace folder is a link, and the requested path leads through a folder with a leading dot.
    const folders = [{ name: 'app', location: fileAt('/link') }];
    const linked = { ...inside('src/app.ts'), named: fileAt('/link/.tool/app.ts') };
    assert.equal(isToolFile(linked, folders), true);
    assert.equal(isToolFile({ ...linked, named: fileAt('/link/src/app.ts') }, folders), false);
  });

  it('remain tool files if a subfolder is a workspace folder too', () => {
    const name = fc.stringMatching(/^\.?[a-z]{1,6}$/);
    const names = fc.array(name, { minLength: 1, maxLength: 4 });
    const prefix = fc.constantFrom('inner/', '', '/ws/');
    fc.assert(
      fc.property(names, fc.nat(4), prefix, fc.boolean(), (path, depth, start, isLink) => {
        const inner = path.slice(0, Math.min(depth, path.length - 1));
        const location = fileAt(`/ws/${path.join('/')}`);
        const outer = { name: 'ws', location: fileAt('/ws') };
        const further = { name: 'inner', location: fileAt(['/ws', ...inner].join('/')) };
        const alone = target(path.join('/'), { location, named: location, label: path.join('/') });
        const below = path.slice(inner.length).join('/');
        const named = isLink ? fileAt(`/link/${below}`) : location;
        const nested = { ...alone, named, label: start === '/ws/' ? location.path : start + below };
        if (isToolFile(alone, [outer])) assert.ok(isToolFile(nested, [outer, further]));
        if (isToolFile(alone, [outer])) assert.ok(isToolFile(nested, [further, outer]));
      }),
    );
  });

  it('are found in linear time', () => {
    for (const piece of [
      'a.config.',
      '.rc',
      'jest.',
      'docker-compose.',
      'requirements',
      '.agent.md',
    ]) {
      isToolFile(target(piece.repeat(100_000)));
    }
  });
});
