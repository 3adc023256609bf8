import assert from 'node:assert/strict';
import { deniedPlaces, isWithinAny } from '../../../../src/core/approval/deniedPlaces.ts';
import { fileAt } from './policyRig.ts';

const places = deniedPlaces([fileAt('/home/me')], [fileAt('/data/code')]);
const isDenied = (path: string): boolean => isWithinAny(fileAt(path), places);

/** Keys, browser profiles, and the data of VS Code and similar editors. */
const deniedInHome = `
.ssh .aws/credentials .config/gcloud/x
.config/google-chrome/Default .config/google-chrome-beta/Default .config/google-chrome-unstable/x .config/chromium/x
.config/microsoft-edge/x .config/microsoft-edge-beta/x .config/microsoft-edge-dev/x .config/BraveSoftware/Brave-Browser/x
.config/vivaldi/x .config/vivaldi-snapshot/x .config/opera/x .config/opera-beta/x .mozilla/firefox/x .config/mozilla/x
.librewolf/x .config/librewolf/x .zen/x .config/zen/x
Library/Application~Support/Google/Chrome/x Library/Application~Support/Google/Chrome~Canary/x
Library/Application~Support/Microsoft~Edge~Beta/x Library/Application~Support/Vivaldi/x Library/Application~Support/Arc/User~Data
Library/Application~Support/com.operasoftware.Opera/x Library/Application~Support/LibreWolf/x Library/Application~Support/zen/x
Library/Safari/x Library/Cookies/x Library/Containers/com.apple.Safari/Data Library/Containers/com.apple.Safari.WebApp/Data
AppData/Local/Google/Chrome~SxS/x AppData/Local/Google/Chrome~Beta/x AppData/Local/Microsoft/Edge~Dev/x AppData/Local/Vivaldi/x
AppData/Roaming/Opera~Software/x AppData/Local/Packages/TheBrowserCompany.Arc_1/x AppData/Roaming/librewolf/x AppData/Roaming/Mozilla/x
.var/app/com.google.Chrome/x .var/app/com.google.ChromeDev/x .var/app/com.brave.Browser/x .var/app/org.chromium.Chromium/x
.var/app/com.microsoft.Edge/x .var/app/com.visualstudio.code/x .var/app/com.visualstudio.code-oss/x .var/app/com.vscodium.codium/x
.var/app/org.mozilla.firefox/x .var/app/io.gitlab.librewolf-community/x .var/app/app.zen_browser.zen/x
snap/brave/x snap/code/x snap/firefox/x snap/chromium/x snap/opera/x
.config/Code/User/settings.json .config/Code~-~Insiders/x .config/Code~-~OSS/x .config/VSCodium/x .config/VSCodium~-~Insiders/x
.config/Windsurf/x .config/Windsurf~-~Next/x .config/Cursor/x Library/Application~Support/Windsurf/x AppData/Roaming/Code~-~OSS/x
.vscode-server/data/x .vscode-server-insiders/data/x .vscode-server-oss/data/x .vscode-remote/data/x .vscodium-server/data/x
.cursor-server/data/x .windsurf-server/data/x .local/share/code-server/x
`;

/** Similar paths that need approval but aren't denied. */
const allowedInHome = `
.config/fish/config.fish .config/Code.txt .config/codeblocks/x .config/operator/x .config/vivaldi.txt .config/zenith/x .sshd/x
AppData/Local/Google/Drive/x Library/Containers/com.apple.Notes/x .var/app/org.gimp.GIMP/x snap/codeblocks/x snap/x
.vscode-server/bin/x .vscode-server-oss/extensions/x .cursor-server/bin/x work/google-chrome/x
`;

const pathsOf = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((path) => path.replaceAll('~', ' '));

describe('denied places', () => {
  for (const path of pathsOf(deniedInHome)) {
    it(`include ${path}`, () => assert.equal(isDenied(`/home/me/${path}`), true));
  }

  for (const path of pathsOf(allowedInHome)) {
    it(`exclude ${path}`, () => assert.equal(isDenied(`/home/me/${path}`), false));
  }

  it("include Aside's own data and system folders", () => {
    for (const path of ['/data/code/User', '/proc/1/environ', '/dev/sda']) {
      assert.equal(isDenied(path), true, path);
    }
    assert.equal(isDenied('/data/code-2/x'), false);
  });
});
