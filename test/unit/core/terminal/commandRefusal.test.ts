import assert from 'node:assert/strict';
import { commandRefusal } from '../../../../src/core/terminal/shellCommands.ts';

const shells = [
  '/usr/bin/bash',
  '/bin/zsh',
  '/usr/bin/fish',
  'C:\\Program Files\\PowerShell\\pwsh.exe',
];

describe('refusalOf', () => {
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
    const keys = [
      '\t',
      '\r',
      '\x03',
      '\x04',
      '\x1b[A',
      '\x12x',
      '\x15',
      '\x7f',
      '\b',
      '\0',
      '\x9b',
    ];
    for (const shell of shells) {
      for (const key of keys) assert.match(commandRefusal(`echo ${key}a`, shell) ?? '', /control/);
    }
  });

  it('refuses text that zsh would replace by earlier commands, and nothing else', () => {
    const replaced = [
      '!!',
      'sudo !!',
      '!rm',
      'echo "a!b"',
      'echo a!b',
      '^a^b',
      'echo "\'!x\'"',
      "echo 'a'!b'c'",
    ];
    for (const command of replaced) {
      assert.match(commandRefusal(command, '/bin/zsh') ?? '', /single quotes/, command);
      assert.equal(commandRefusal(command, '/usr/bin/bash'), undefined, command);
    }
    const plain = [
      "echo '!!'",
      'if ! true; then echo; fi',
      'echo a\\!b',
      '[ a != b ]',
      'echo "done!"',
      'ls !(a)',
      'echo a^b',
      "node -e 'if(!x){}'",
    ];
    for (const command of plain)
      assert.equal(commandRefusal(command, '/bin/zsh'), undefined, command);
  });
});
