import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Action, type Verdict, evaluatePolicy } from '../../../../src/core/approval/policy.ts';
import { isRepeatable, type GrantOffer } from '../../../../src/core/approval/grants.ts';
import { runs } from '../../../support/sample.ts';
import { grantsFor, fileAt, run, target, usualSituation } from './policyRig.ts';

const seed = Number(process.env['SEED'] ?? 7);
const allowed = 'npm test';

/** Rows of a table with three spaces between them. Control and look-alike characters are escaped. */
const rows = (text: string): readonly string[] =>
  text
    .replaceAll('\n', '   ')
    .split('   ')
    .map((row) =>
      row.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    );

/** Text after the allowed command: more commands, redirections, expansions, options, white space. */
const suffixes =
  rows(String.raw`; rm -rf x   ;rm -rf x   && rm -rf x   || rm -rf x   | sh   |& sh   & rm -rf x   &   ;
\u000arm -rf x   \u000d\u000arm -rf x   \u000drm -rf x   \u000a   \u000d   \u2028rm -rf x   \u2029rm   \u0085rm   \u000brm   \u000crm
\u0020   \u0020\u0020   \u0009   \u0000   \u0000rm   \u0020#   \u0020# harmless   \u0020\   \\u000a
 > out    >> ~/.bashrc    < in    2>&1    &> out    <<EOF\u000ax\u000aEOF    <<< x    >&2    >| out    1<>x
 $(rm -rf x)    ${'`'}rm -rf x${'`'}    ${'$'}{x:-$(rm)}    $x    ${'$'}{IFS}rm    $((1))    <(rm)    >(rm)    $[1]    $'\n'rm
 *    ?    [a]    {a,b}    ~    ~root    !$    !!    ^a^b    %1    "x"    'x'    \"x    %PATH%    !PATH!    ^& rm    (rm)    { rm; }
 @(rm)    -- x    -- --reporter x    --prefix /tmp    --script-shell=/tmp/x    -C /tmp    --ignore-scripts=false   s   2   .   -x
/   \u0003   \u202e    npm test`);

/** Text before it. */
const prefixes =
  rows(String.raw`A=b\u0020   LD_PRELOAD=/tmp/x.so\u0020   PATH=/tmp\u0020   env\u0020   sudo\u0020   exec\u0020   time\u0020   nohup\u0020   xargs\u0020   eval\u0020
\u0020   \u0009   \u000a   \   (   {\u0020   !\u0020   ;\u0020   &\u0020   .\u0020   command\u0020   builtin\u0020   ./   /tmp/   \u202e   \ufeff   $(echo)   test\u0020
\u001b[2K   \u009b2J   \u0008   rm\u0008\u0008`);

/** Commands that resemble it, and those that lists of safe commands have let through. */
const others =
  rows(String.raw`npm  test   npm\u0009test   npm\u00a0test   npm\u2003test   npm\u3000test   npm\u200b test   npm tes\u200bt   npm te\u00adst
NPM TEST   Npm test   npm Test   npm.cmd test   npm.exe test   npm/test   npm run test   npm\u2028test   \u2066npm test\u2069
n\u200dpm test   np\u043c test   \u0440npm test   npm t\u0435st   \uff4epm test   "npm" test   'npm' test   n\pm test   n""pm test   n''pm test
npm "test"   $(echo npm) test   ${'`'}echo npm${'`'} test   ${'$'}{N}pm test   npm $T   npm   test   npmtest   test npm   npm install   npm exec x
npx test   pnpm test   yarn test   ls   ls -la   cat a   cat .env   find . -delete   find . -exec rm   git status   git -c core.fsmonitor=x status
git log   git grep -O x   git diff --ext-diff   git --git-dir=x status   rg --pre x y   sed -i s/a/b/ x   sort -o x y   awk x
tar --checkpoint-action=exec=x   man -P x y   less x   vi x   node -e x   python -c x   python3 x.py   perl -e x   ruby -e x   bash -c x   sh x
source x   . x   make   curl http://a.test   wget a.test   nc a.test 1   ssh a.test   scp a b:   git push   ping a.test   nslookup a.test   dig a.test
open a   rm -rf /   rm -rf .   mv a b   chmod +x a   dd if=a of=b   kill 1   crontab -e   systemctl stop x   docker run x   su   echo a; echo b
echo a > b   echo $HOME   echo ${'`'}id${'`'}   echo $(id)   echo a && b   echo a | b   true   :   [ a ]`);

const corpus = [
  ...suffixes.map((suffix) => allowed + suffix),
  ...prefixes.map((prefix) => prefix + allowed),
  ...others,
  ...['', ' '.repeat(3), '.'.repeat(900), `${'a '.repeat(400)}; rm`, `echo${' '.repeat(700)}rm`],
];

const cwd = target('.', { kind: 'folder' });
const scope = { type: 'command', command: allowed, folder: cwd.location, shell: 'bash' } as const;
const offers: readonly GrantOffer[] = [
  { lifetime: 'chat', scope },
  { lifetime: 'workspace', scope },
];

function judge(action: Action): Verdict {
  return evaluatePolicy(action, usualSituation, grantsFor(offers));
}

describe('a command that was allowed', () => {
  it('is compared with at least 200 other commands', () => {
    assert.ok(new Set(corpus).size >= 200, String(new Set(corpus).size));
  });

  it('runs again without asking if it is unchanged', () =>
    assert.equal(judge(run(allowed)).type, 'allow'));

  it('allows no other, and offers a grant only for one without special characters', () => {
    for (const command of corpus) {
      const verdict = judge(run(command));
      assert.ok(verdict.type === 'ask', JSON.stringify(command));
      const isPlain = /^[\w ./:=@+,-]+$/.test(command) && /\S/.test(command);
      assert.equal(verdict.offers.length > 0, isPlain, JSON.stringify(command));
    }
  });

  it('needs approval in another folder, shell or file system', () => {
    const elsewhere = target('packages/a', { kind: 'folder' });
    assert.equal(judge(run(allowed, elsewhere)).type, 'ask');
    const sibling = target('/home/me/work', { kind: 'folder' });
    assert.equal(judge(run(allowed, sibling)).type, 'ask');
    assert.equal(judge({ type: 'run', command: allowed, shell: 'zsh', cwd }).type, 'ask');
    const moved = { ...cwd, location: { ...fileAt(cwd.location.path), scheme: 'other' } };
    assert.equal(judge(run(allowed, moved)).type, 'ask');
  });

  it('is the only text that runs without asking', () => {
    const alphabet = fc.constantFrom(
      ...Array.from('npm test;&|$()`\'"\\\n\r\t<>*?[]{}~!#%^\u200b\u202e'),
    );
    const text = fc.oneof(
      fc.string({ unit: alphabet, maxLength: 12 }),
      fc.string({ unit: 'binary' }),
      fc
        .tuple(
          fc.string({ unit: alphabet, maxLength: 3 }),
          fc.string({ unit: alphabet, maxLength: 3 }),
        )
        .map(([before, after]) => before + allowed + after),
    );
    fc.assert(
      fc.property(text, (command) => {
        assert.equal(judge(run(command)).type, command === allowed ? 'allow' : 'ask');
      }),
      { seed, numRuns: runs(2000, 4) },
    );
  });

  it('can be allowed again only without characters that a shell interprets', () => {
    for (let code = 0; code < 0x10000; code++) {
      const character = String.fromCharCode(code);
      const plain = /^[A-Za-z0-9 ._/:=@+,-]$/.test(character);
      assert.equal(isRepeatable(`a${character}b`), plain, character);
    }
    assert.equal(isRepeatable(''), false);
    assert.equal(isRepeatable('   '), false);
  });
});
