import assert from 'node:assert/strict';
import { hasProtectedName, startsAsProgram } from '../../../../src/core/approval/protectedFiles.ts';
import { head, fileAt, target } from './policyRig.ts';

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
.roo/rules .roomodes .continue/config.json .claude/settings.json .codex/config.toml .gemini/settings.json .mcp.json mcp.json
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
