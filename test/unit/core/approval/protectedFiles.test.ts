import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  hasProtectedName,
  isToolFile,
  startsAsProgram,
} from '../../../../src/core/approval/protectedFiles.ts';
import type { Target } from '../../../../src/core/files/places.ts';
import { fileAt, head, target } from './policyRig.ts';

const home = fileAt('/home/me');

/** Files that cause code to run later, or instruct an agent. */
const protectedFiles = `
.vscode/settings.json .vscode/tasks.json .vscode/launch.json .vscode/mcp.json sub/.vscode/settings.json app.code-workspace
.idea/workspace.xml .devcontainer/devcontainer.json .devcontainer/a/Dockerfile .devcontainer.json
.git .git/config .git/hooks/pre-commit sub/.git/config .gitmodules sub/.gitmodules .gitconfig
.husky/pre-commit .githooks/post-checkout lefthook.yml .pre-commit-config.yaml
package.json packages/a/package.json yarn.lock Cargo.lock flake.lock package-lock.json pnpm-lock.yaml
.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs pnpm-workspace.yaml Cargo.toml build.rs .cargo/config.toml
build.gradle build.gradle.kts settings.gradle gradle.properties .gradle/init.gradle
a.csproj a.fsproj a.vbproj a.vcxproj a.proj Directory.Build.props Directory.Build.targets web.config server.xml
setup.py tests/conftest.py Makefile sub/makefile MAKEFILE GNUmakefile
.github/workflows/ci.yml .github/agents/a.md .github/hooks/a.json .github/prompts/a.md .github/instructions/a.md .github/skills/a/SKILL.md .github/actions/a/action.yml
.github/copilot-instructions.md .gitlab-ci.yml .circleci/config.yml
AGENTS.md agents.md docs/AGENTS.md CLAUDE.md GEMINI.md .cursor/rules/a.mdc .cursorrules .clinerules .clinerules-code .clinerules/a.md .cline/x
.roo/rules .roomodes .continue/config.json .claude/settings.json .claude/CLAUDE.md .claude/rules/web/a.md .claude/agents/a.md .claude/skills/a/SKILL.md docs/CLAUDE.md docs/.claude/rules/a.md .codex/config.toml .gemini/settings.json .mcp.json mcp.json
.env .env.local .environment .envrc .direnv/x
/etc/crontab cron/crontab etc/cron.d/x /etc/cron.daily/x /etc/anacrontab /var/spool/cron/crontabs/me var/spool/cron/root /var/spool/at/x
/etc/systemd/system/x.service units/systemd/user/x.timer config/autostart/x.desktop LaunchAgents/a.plist Library/LaunchDaemons/a.plist
etc/init.d/x etc/rc.local etc/profile.d/x.sh Microsoft/Windows/StartMenu/Programs/Startup/x.bat sudoers.d/x
.VSCODE/settings.json .Git/config PACKAGE.JSON .g\u200cit/config .vscode\u00ad/tasks.json ma\u212aefile
.git./config .vscode./tasks.json package.json... GIT~1/config git~12 VSCODE~1.x PACKAG~1.JSO GI1F2B~1/config
`;

/** Files that are edited every day. */
const plainFiles = `
src/app.ts README.md src/package.ts package.json.md mypackage.json src/env.ts env .github/ISSUE_TEMPLATE.md .github/dependabot.yml .gitignore .gitkeep
.vscodeignore .vscode-test/x git/config hooks/pre-commit docs/agents/a.md lock.ts locksmith.txt a.lockfile src/make.ts makefile.md
src/gradle.ts tsconfig.json .prettierrc .gitattributes .editorconfig .eslintrc.json Dockerfile index.html styles.css proj/a.ts props.ts
src/cron.ts cron/jobs.ts src/crontab.ts lib/systemd.go programs/a.ts spool/a.ts startup/a.ts constructor/a.ts .github/constructor
backup~ notes.txt~ #a~1# a.~1~ ~1 a~b.txt version~12345.txt a~1.test.ts docs/git~one.md
`;

/** An example for each entry of the protected set in docs/threats.md. */
const protectedSet = `
.vscode/x x.code-workspace .idea/x .devcontainer/x .git/x .git .gitmodules .gitconfig .husky/x .githooks/x lefthook.yml
.pre-commit-config.yaml package.json x.lock x-lock.json x-lock.yaml .npmrc .yarnrc .yarnrc.x .yarn/x .pnpmfile.x pnpm-workspace.yaml Cargo.toml
build.rs x.gradle x.gradle.kts gradle.properties x.csproj x.fsproj x.vbproj x.vcxproj x.proj x.props x.targets web.config setup.py
conftest.py Makefile .github/workflows/x .github/agents/x .github/hooks/x .github/prompts/x .github/instructions/x .github/skills/x/y.py .agents/skills/x/SKILL.md .gitlab-ci.yml
AGENTS.md CLAUDE.md GEMINI.md .github/copilot-instructions.md .cursor/x .cursorrules .clinerules .clinerules-x .cline/x .roo .roomodes
.continue/x .claude/x .codex/x .gemini/x .mcp.json mcp.json .env .env.x .envrc .direnv/x cron.d/x systemd/x autostart/x LaunchAgents/x
`;

describe('the protected set', () => {
  for (const path of protectedSet.trim().split(/\s+/)) {
    it(`includes ${path} in any folder, with anything below, in any case, and through links`, () => {
      const cased = [path, path.toUpperCase(), path.toLowerCase(), path.normalize('NFD')];
      const spelled = [...cased, `${path}.`, path.replace(/^./, '$&\u200d')];
      for (const spelling of spelled) {
        for (const path of [spelling, `a/${spelling}`, `a/b/${spelling}/c/d`]) {
          assert.equal(hasProtectedName(target(path), home), true, path);
          const linked = target('a.txt', { named: target(path).location });
          assert.equal(hasProtectedName(linked, home), true, path);
        }
      }
    });
  }
});

describe('protected files', () => {
  for (const path of protectedFiles.trim().split(/\s+/)) {
    it(`include ${JSON.stringify(path)}`, () => {
      assert.equal(hasProtectedName(target(path), home), true);
      const linked = target('a.txt', { named: target(path).location });
      assert.equal(hasProtectedName(linked, home), true, 'by its requested name');
    });
  }

  for (const path of plainFiles.trim().split(/\s+/)) {
    it(`exclude ${path}`, () => assert.equal(hasProtectedName(target(path), home), false));
  }

  it('include names that end with spaces, which Windows volumes ignore', () => {
    for (const path of ['.git /config', '.vscode. ./tasks.json', 'AGENTS.md ']) {
      assert.equal(hasProtectedName(target(path), home), true, path);
    }
    assert.equal(hasProtectedName(target('/home/me/Library./x'), home), true);
    assert.equal(hasProtectedName(target('my .git notes'), home), false);
  });

  it('include names with a leading dot in the home folder', () => {
    for (const path of [
      '.bashrc',
      '.config/fish/config.fish',
      '.zshenv',
      'Library/LaunchAgents/a',
      'AppData/Roaming/x',
    ]) {
      assert.equal(hasProtectedName(target(`/home/me/${path}`), home), true, path);
    }
    assert.equal(hasProtectedName(target('/home/me/work/.hidden'), home), false);
    assert.equal(hasProtectedName(target('/home/me/.bashrc'), undefined), false);
  });

  it('include programs by their first bytes', () => {
    for (const text of ['#!/bin/sh', '\ufeff#!/bin/sh', '\u007fELF', 'MZ\u0000']) {
      assert.equal(startsAsProgram(head(text)), true, text);
    }
    assert.equal(startsAsProgram(Uint8Array.of(0xcf, 0xfa, 0xed, 0xfe)), true);
    for (const text of ['', '#', '# !', ' #!/bin/sh', 'echo', 'ELF']) {
      assert.equal(startsAsProgram(head(text)), false, text);
    }
  });
});

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

const otherFiles = `
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

  for (const path of otherFiles.trim().split(/\s+/)) {
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
