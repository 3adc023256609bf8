import fc from 'fast-check';
import assert from 'node:assert/strict';
import { type GrantOffer, isRepeatable } from '../../../../src/core/approval/grants.ts';
import {
  type Action,
  type EditSubject,
  evaluatePolicy,
  type Situation,
  type Verdict,
} from '../../../../src/core/approval/policy.ts';
import { runs } from '../../../support/sample.ts';
import {
  edit,
  editOf,
  external,
  fileAt,
  grantsFor,
  head,
  read,
  run,
  target,
  usualSituation,
} from './policyRig.ts';

/** The verdict as text, such as `allow`, or `dialog secret +chat:file` with its reason and offers. */
function verdictText(verdict: Verdict): string {
  if (verdict.type !== 'ask') return verdict.type;
  const offers = verdict.offers.map(({ lifetime, scope }) => ` +${lifetime}:${scope.type}`);
  return `${verdict.by} ${verdict.reason}${offers.join('')}`;
}

const folder = { kind: 'folder' } as const;
const fromLink = { named: fileAt('/home/me/work/app/link') };
const many = (count: number): Action =>
  edit(...Array.from({ length: count }, (_, index) => editOf(`src/${index}.ts`)));
const virtual = { identity: '' };
const executable = (text: string, facts: Partial<EditSubject> = {}): Action =>
  edit(editOf('run', { executable: true }, { head: head(text), ...facts }));

/** Actions in a trusted workspace without grants, and their verdicts. */
const table: readonly (readonly [string, Action, string])[] = [
  // Reading in the workspace
  ['read a file', read('src/app.ts'), 'allow'],
  ['read a folder', read('src', folder), 'allow'],
  ['read a missing file', read('src/new.ts', { kind: 'missing' }), 'allow'],
  ['read a file with hard links', read('node_modules/a.js', { hardLinks: 3 }), 'allow'],
  ['read a protected file', read('package.json'), 'allow'],
  ['read through a link inside', read('src/app.ts', fromLink), 'allow'],
  ['read a special file', read('pipe', { kind: 'special' }), 'deny'],
  // Reading secrets
  ['read .env', read('.env'), 'dialog secret +chat:file'],
  ['read a key', read('a.key', {}, head('-----BEGIN KEY')), 'dialog secret +chat:file'],
  ['read a binary key', read('a.key', {}, head('\0\u0001')), 'dialog secret +chat:file'],
  ['read a possible key of unknown content', read('a.key'), 'dialog secret +chat:file'],
  ['read a text that ends like a key', read('a.key', {}, head('hello')), 'allow'],
  ['list a folder named like a secret', read('.env.d', folder), 'allow'],
  ['read a secret by another name', read('.env', fromLink), 'dialog secret +chat:file'],
  [
    'read by the name of a secret',
    read('config.txt', { named: fileAt('/home/me/work/app/.env') }),
    'dialog secret +chat:file',
  ],
  // Reading outside the workspace
  ['read outside', read('/usr/include/stdio.h'), 'dialog outside +chat:file +chat:folder'],
  ['list outside', read('/usr/include', folder), 'dialog outside +chat:folder'],
  ['read beside the workspace', read('/home/me/work/notes.txt'), 'dialog outside +chat:file'],
  ['read in the home folder', read('/home/me/notes.txt'), 'dialog outside +chat:file'],
  ['list the home folder', read('/home/me', folder), 'dialog outside'],
  ['list above the home folder', read('/home', folder), 'dialog outside'],
  ['list the root', read('/', folder), 'dialog outside'],
  ['read a secret outside', read('/srv/app/.env'), 'dialog secret +chat:file'],
  [
    'read a missing file outside',
    read('/x/y', { kind: 'missing' }),
    'dialog outside +chat:file +chat:folder',
  ],
  [
    'read a link that leads outside',
    read('/srv/a', fromLink),
    'dialog outside +chat:file +chat:folder',
  ],
  // Always denied
  ['read an SSH key', read('/home/me/.ssh/id_rsa'), 'deny'],
  ['read VS Code’s data', read('/home/me/.config/Code/User/globalStorage/state.vscdb'), 'deny'],
  ['read a process', read('/proc/self/environ'), 'deny'],
  ['read a device', read('/dev/sda', { kind: 'special' }), 'deny'],
  [
    'read through /proc',
    read('/etc/hosts', { named: fileAt('/proc/self/root/etc/hosts') }),
    'deny',
  ],
  ['read a link to a denied place', read('/home/me/.ssh/config', fromLink), 'deny'],
  // Editing in the workspace
  ['edit a file', edit(editOf('src/app.ts')), 'panel unprotected +chat:edits'],
  ['edit 20 files', many(20), 'panel unprotected +chat:edits'],
  ['edit 21 files', many(21), 'panel unprotected'],
  ['edit where links cannot be checked', edit(editOf('a.ts', virtual)), 'panel unprotected'],
  ['edit a document +x', executable('text'), 'panel unprotected +chat:edits'],
  // Editing files that tools run or Git doesn't track
  ['edit a configuration', edit(editOf('vite.config.ts')), 'panel unprotected'],
  [
    'edit by the name of a configuration',
    edit(editOf('a.ts', { named: fileAt('/home/me/work/app/jest.config.js') })),
    'panel unprotected',
  ],
  ['edit what Git does not track', edit(editOf('a.ts', {}, { tracked: false })), 'panel untracked'],
  [
    'edit it with others',
    edit(editOf('b.ts'), editOf('a.ts', {}, { tracked: false })),
    'panel untracked',
  ],
  [
    'edit an untracked one where links cannot be checked',
    edit(editOf('a.ts', virtual, { tracked: false })),
    'panel unprotected',
  ],
  ['add an address', edit(editOf('a.json', {}, { addsAddress: true })), 'panel unprotected'],
  ['edit one with others', edit(editOf('a.ts'), editOf('pom.xml')), 'panel unprotected'],
  ['edit one that is protected', edit(editOf('node_modules/a/package.json')), 'dialog protected'],
  // Editing protected files
  ['edit package.json', edit(editOf('package.json')), 'dialog protected'],
  ['edit a Git directory', edit(editOf('data/config', {}, { ofGit: true })), 'dialog protected'],
  ['edit a script', executable('#!/bin/sh'), 'dialog protected'],
  ['make a script', executable('a', { becomesScript: true }), 'dialog protected'],
  ['edit an unknown executable', executable('', { head: undefined }), 'dialog protected'],
  ['edit a file with hard links', edit(editOf('a.ts', { hardLinks: 2 })), 'dialog hard-links'],
  ['edit outside', edit(editOf('/srv/a.ts')), 'dialog outside'],
  ['edit through a link outside', edit(editOf('/srv/a.ts', fromLink)), 'dialog outside'],
  [
    'edit by a protected name',
    edit(editOf('a.txt', { named: fileAt('/home/me/work/app/.husky/pre-push') })),
    'dialog protected',
  ],
  ['edit a protected file with others', edit(editOf('a.ts'), editOf('package.json')), 'deny'],
  ['edit VS Code’s settings', edit(editOf('/home/me/.config/Code/User/settings.json')), 'deny'],
  ['edit a pipe', edit(editOf('pipe', { kind: 'special' })), 'deny'],
  // Running commands
  ['run a plain command', run('npm test'), 'dialog run +chat:command +workspace:command'],
  ['run two commands', run('npm test && rm -rf x'), 'dialog run'],
  ['run outside', run('ls', target('/tmp', folder)), 'dialog run'],
  ['run in a file', run('ls', target('a.ts')), 'deny'],
  ['run without a machine', run('ls', target('.', { ...folder, ...virtual })), 'deny'],
  ['run in the SSH folder', run('ls', target('/home/me/.ssh', folder)), 'deny'],
  // Opening files with addresses
  [
    'open a file with addresses',
    { type: 'open', target: target('a.json'), addresses: [] },
    'dialog addresses',
  ],
  // Tools of other extensions
  ['call another extension’s tool', external, 'dialog external +chat:tool'],
];

function offersOf(verdict: Verdict): readonly GrantOffer[] {
  return verdict.type === 'ask' ? verdict.offers : [];
}

const withoutGrants = (): undefined => undefined;
const judge = (
  action: Action,
  more: Partial<Situation> = {},
  find: Parameters<typeof evaluatePolicy>[2] = withoutGrants,
): Verdict => evaluatePolicy(action, { ...usualSituation, ...more }, find);

describe('the approval policy', () => {
  for (const [name, action, expected] of table) {
    const usual = judge(action);
    const all = grantsFor(offersOf(usual));

    it(`${name}: ${expected}`, () => assert.equal(verdictText(usual), expected));

    it(`${name}: allowed under each grant that it offers`, () => {
      for (const offer of offersOf(usual)) {
        const verdict = judge(action, {}, grantsFor([offer]));
        assert.ok(verdict.type === 'allow');
        assert.deepEqual(verdict.grant?.scope, offer.scope);
      }
      if (offersOf(usual).length === 0) assert.deepEqual(judge(action, {}, all), usual);
    });

    it(`${name}: denied in an untrusted workspace`, () => {
      assert.equal(verdictText(judge(action, { trusted: false }, all)), 'deny');
    });

    it(`${name}: needs approval if every call does`, () => {
      const verdict = judge(action, { askAll: true }, all);
      const expectedWords =
        usual.type === 'allow' ? 'dialog ask-all' : expected.replace(/ \+.*/, '');
      assert.equal(verdictText(verdict), usual.type === 'deny' ? 'deny' : expectedWords);
    });

    it(`${name}: uses no chat grant to run or call after untrusted text`, () => {
      const verdict = judge(
        action,
        { tainted: true },
        grantsFor(offersOf(usual).filter(({ lifetime }) => lifetime === 'chat')),
      );
      const isOutlet = action.type === 'run' || action.type === 'external';
      if (isOutlet) assert.equal(verdictText(verdict), expected.replace(/ \+chat:\w+/, ''));
      else assert.deepEqual(verdict, judge(action, {}, all));
    });

    it(`${name}: offers and uses no grant for a caller that takes none`, () => {
      const verdict = judge(action, { takesGrants: false }, all);
      assert.equal(verdictText(verdict), expected.replace(/ \+.*/, ''));
    });

    it(`${name}: offers only chat grants if none can be stored`, () => {
      const offers = offersOf(judge(action, { storesGrants: false }));
      assert.ok(offers.every(({ lifetime }) => lifetime === 'chat'));
    });
  }

  it("applies a folder's grant to its subfolders", () => {
    const scope = { type: 'folder', folder: fileAt('/usr/include'), identity: '1-2' } as const;
    const find = grantsFor([{ lifetime: 'chat', scope }]);
    assert.equal(judge(read('/usr/include/sys/types.h'), {}, find).type, 'allow');
    assert.equal(judge(read('/usr/include', folder), {}, find).type, 'allow');
    assert.equal(judge(read('/usr/include-2/a.h'), {}, find).type, 'ask');
    assert.equal(judge(read('/usr/include/.env'), {}, find).type, 'ask');
    assert.equal(judge(edit(editOf('/usr/include/a.h')), {}, find).type, 'ask');
  });

  it('never offers the home folder, or a folder around it', () => {
    const folders = [{ name: 'app', location: fileAt('/srv/app') }];
    const offered = (path: string): string => verdictText(judge(read(path), { folders }));
    assert.equal(offered('/home/me/notes.txt'), 'dialog outside +chat:file');
    assert.equal(offered('/home/notes.txt'), 'dialog outside +chat:file');
    assert.equal(offered('/HOME/ME/notes.txt'), 'dialog outside +chat:file');
    assert.equal(offered('/home/me/notes/a.txt'), 'dialog outside +chat:file +chat:folder');
  });

  it('applies no grant to another kind of action', () => {
    const asking = table.filter(([, action]) => judge(action).type === 'ask');
    for (const [name, action] of asking) {
      const offers = JSON.stringify(offersOf(judge(action)));
      const foreign = asking.flatMap(([, other]) => offersOf(judge(other)));
      const others = foreign.filter((offer) => !offers.includes(JSON.stringify(offer.scope)));
      const verdict = judge(action, {}, grantsFor(others));
      const isBelow = /outside \+/.test(verdictText(judge(action)));
      if (!isBelow) assert.equal(verdict.type, 'ask', name);
    }
  });
});

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

function verdictFor(action: Action): Verdict {
  return evaluatePolicy(action, usualSituation, grantsFor(offers));
}

describe('a command that was allowed', () => {
  it('is compared with at least 200 other commands', () => {
    assert.ok(new Set(corpus).size >= 200, String(new Set(corpus).size));
  });

  it('runs again without asking if it is unchanged', () =>
    assert.equal(verdictFor(run(allowed)).type, 'allow'));

  it('allows no other, and offers a grant only for one without special characters', () => {
    for (const command of corpus) {
      const verdict = verdictFor(run(command));
      assert.ok(verdict.type === 'ask', JSON.stringify(command));
      const isPlain = /^[\w ./:=@+,-]+$/.test(command) && /\S/.test(command);
      assert.equal(verdict.offers.length > 0, isPlain, JSON.stringify(command));
    }
  });

  it('needs approval in another folder, shell or file system', () => {
    const elsewhere = target('packages/a', { kind: 'folder' });
    assert.equal(verdictFor(run(allowed, elsewhere)).type, 'ask');
    const sibling = target('/home/me/work', { kind: 'folder' });
    assert.equal(verdictFor(run(allowed, sibling)).type, 'ask');
    assert.equal(verdictFor({ type: 'run', command: allowed, shell: 'zsh', cwd }).type, 'ask');
    const moved = { ...cwd, location: { ...fileAt(cwd.location.path), scheme: 'other' } };
    assert.equal(verdictFor(run(allowed, moved)).type, 'ask');
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
        assert.equal(verdictFor(run(command)).type, command === allowed ? 'allow' : 'ask');
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
