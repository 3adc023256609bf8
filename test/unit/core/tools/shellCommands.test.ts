import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commandRefusal, readShellCommands } from '../../../../src/core/tools/shellCommands.ts';

describe('the commands of a block of shell code', () => {
  const table: readonly (readonly [what: string, text: string, commands: readonly string[]])[] = [
    ['one line', 'npm install --save "a b"\n', ['npm install --save "a b"']],
    ['one line with an open quote', "echo 'it", ["echo 'it"]],
    ['an empty block', '\n\n', []],
    ['a comment', '# later\n', []],
    ['several lines', 'npm install\nnpm test\n', ['npm install', 'npm test']],
    [
      'lines between comments and blank lines',
      '# first\nnpm ci\n\n# then\nnpm test',
      ['npm ci', 'npm test'],
    ],
    ['lines with Windows line endings', 'dir\r\ncd src\r\n', ['dir', 'cd src']],
    [
      'a transcript with prompts and output',
      '$ npm test\n12 passed\n$ git push\n',
      ['npm test', 'git push'],
    ],
    ['a prompt with user and host', 'ann@host:~/a$ ls -l\ntotal 0', ['ls -l']],
    ['a PowerShell prompt', 'PS C:\\a> Get-Item b\n', ['Get-Item b']],
    ['a cmd prompt', 'C:\\Users\\ann> dir\r\n', ['dir']],
    ['a line that begins with a variable', '$HOME/bin/run\n', ['$HOME/bin/run']],
    ['a continued line', 'docker run \\\n  --rm \\\n  image\n', ['docker run   --rm   image']],
    [
      'a continued line in a transcript',
      '$ docker run \\\n> --rm image\nok',
      ['docker run --rm image'],
    ],
    ['a continued line of PowerShell', 'Copy-Item a `\n  b\n', ['Copy-Item a   b']],
    ['a continued line of cmd', 'copy a ^\n  b\n', ['copy a   b']],
    ['a line that ends with an escaped backslash', 'echo a\\\\\necho b', ['echo a\\\\', 'echo b']],
    ['a last line with a continuation character', 'echo a \\', ['echo a']],
    ['an indented line', '  ls\n', ['ls']],
  ];
  for (const [what, text, commands] of table)
    it(`are read from ${what}`, () => assert.deepEqual(readShellCommands(text), commands));

  const parts: Readonly<Record<string, string>> = {
    'a loop': 'for f in *; do\n  rm $f\ndone\n',
    'a loop with its do below': 'for f in *\ndo\nrm $f\ndone\n',
    'a here document': 'cat > a <<EOF\nhello\nEOF\n',
    'a here string of PowerShell': "$a = @'\nhello\n'@\n",
    'a function': 'run() {\nls\n}\n',
    'a pipe at an end': 'ls |\nwc -l\n',
    'a pipe in front': 'ls\n| wc -l\n',
    'a quote over two lines': "git commit -m 'one\n\ntwo'\n",
    'an indented line': 'if true; then ls; fi\n  ls\n',
  };
  for (const [what, text] of Object.entries(parts))
    it(`are not split: ${what}`, () => assert.equal(readShellCommands(text), undefined));

  it('never contain a line break', () => {
    const pieces = fc.constantFrom('$ ', '> ', '\r\n', ...Array.from("a \\\n#'`^|"));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
        for (const command of readShellCommands(all.join('')) ?? [])
          assert.ok(!/[\n]/.test(command) && command.trim() !== '', JSON.stringify(command));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});

const shells = ['/usr/bin/bash', '/bin/zsh', '/usr/bin/fish', 'C:\\Program Files\\a\\pwsh.exe'];

describe('commandRefusal', () => {
  it('accepts ordinary commands in every shell', () => {
    const commands = [
      'npm test',
      'git log --oneline | head -5 && echo "a b" > c.txt',
      'for f in *; do echo "$f"; done',
      'echo 漢字 ✓',
    ];
    for (const shell of shells) {
      for (const command of commands)
        assert.equal(commandRefusal(command, shell), undefined, command);
    }
  });

  it('refuses several lines, since a terminal reports only the end of the first', () => {
    for (const shell of shells) {
      assert.match(commandRefusal('for f in *; do\n  echo "$f"\ndone', shell) ?? '', /one line/);
      assert.match(commandRefusal('ls\n^a^b', shell) ?? '', /one line/);
    }
  });

  it('refuses an empty command', () => {
    for (const command of ['', ' ', '\n \n'])
      assert.match(commandRefusal(command, '/bin/sh') ?? '', /empty/);
  });

  it('refuses text that a terminal reads as keys', () => {
    const keys = Array.from('\t\r\x03\x04\x1b\x12\x15\x7f\b\0\x9b');
    for (const shell of shells) {
      for (const key of keys) assert.match(commandRefusal(`echo ${key}a`, shell) ?? '', /control/);
    }
  });

  it('refuses text that zsh would replace by earlier commands, and nothing else', () => {
    const replaced = `!! | sudo !! | !rm | echo "a!b" | echo a!b | ^a^b | echo "'!x'" | echo 'a'!b'c'`;
    for (const command of replaced.split(' | ')) {
      assert.match(commandRefusal(command, '/bin/zsh') ?? '', /single quotes/, command);
      assert.equal(commandRefusal(command, '/usr/bin/bash'), undefined, command);
    }
    const plain = String.raw`echo '!!' | if ! true; then echo; fi | echo a\!b | [ a != b ] | echo "done!"
      | ls !(a) | echo a^b | node -e 'if(!x){}'`;
    for (const command of plain.split(/\s+\| /))
      assert.equal(commandRefusal(command, '/bin/zsh'), undefined, command);
  });
});
