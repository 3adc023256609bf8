import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readShellCommands } from '../../../../src/core/terminal/shellCommands.ts';

describe('The commands of a block of shell code', () => {
  const table: readonly (readonly [what: string, text: string, commands: readonly string[]])[] = [
    ['one line as it is', 'npm install --save "a b"\n', ['npm install --save "a b"']],
    ['one line with marks that are open', "echo 'it", ["echo 'it"]],
    ['nothing', '\n\n', []],
    ['only a comment', '# later\n', []],
    ['several lines', 'npm install\nnpm test\n', ['npm install', 'npm test']],
    [
      'comments and blank lines left out',
      '# first\nnpm ci\n\n# then\nnpm test',
      ['npm ci', 'npm test'],
    ],
    ['line ends of Windows', 'dir\r\ncd src\r\n', ['dir', 'cd src']],
    [
      'a prompt and output left out',
      '$ npm test\n12 passed\n$ git push\n',
      ['npm test', 'git push'],
    ],
    ['a prompt of a person', 'ann@host:~/a$ ls -l\ntotal 0', ['ls -l']],
    ['a prompt of PowerShell', 'PS C:\\a> Get-Item b\n', ['Get-Item b']],
    ['a prompt of cmd', 'C:\\Users\\ann> dir\r\n', ['dir']],
    ['a variable, which is no prompt', '$HOME/bin/run\n', ['$HOME/bin/run']],
    ['a line that goes on', 'docker run \\\n  --rm \\\n  image\n', ['docker run   --rm   image']],
    [
      'a line that goes on in a transcript',
      '$ docker run \\\n> --rm image\nok',
      ['docker run --rm image'],
    ],
    ['a line that goes on in PowerShell', 'Copy-Item a `\n  b\n', ['Copy-Item a   b']],
    ['a line that goes on in cmd', 'copy a ^\n  b\n', ['copy a   b']],
    ['an escaped backslash at an end', 'echo a\\\\\necho b', ['echo a\\\\', 'echo b']],
    ['a last line that would go on', 'echo a \\', ['echo a']],
    ['a line with space in front', '  ls\n', ['ls']],
  ];
  for (const [what, text, commands] of table)
    it(what, () => assert.deepEqual(readShellCommands(text), commands));

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

  it('never contain the end of a line', () => {
    const pieces = fc.constantFrom(
      '$ ',
      '> ',
      'a',
      ' ',
      '\\',
      '\n',
      '\r\n',
      '#',
      "'",
      '`',
      '^',
      '|',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
        for (const command of readShellCommands(all.join('')) ?? [])
          assert.ok(!/[\n]/.test(command) && command.trim() !== '', JSON.stringify(command));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
