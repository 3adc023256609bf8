import assert from 'node:assert/strict';
import { normalizeReplyCode } from '../../../../src/core/code/placeCode.ts';

describe('normalizeReplyCode', () => {
  const path = 'src/a.ts';
  const table: readonly (readonly [name: string, code: string, expected: string])[] = [
    ['keeps code without a file name', 'let a;\n  let b;', 'let a;\n  let b;'],
    ['removes empty lines at the end', 'let a;\r\nlet b;\r\n\r\n', 'let a;\nlet b;'],
    ['removes the name of the file', '// src/a.ts\n\nlet a;\n', 'let a;'],
    ['removes the name of the file and its label', '// file: src/a.ts\nlet a;\n', 'let a;'],
    ['removes the name of the file and its lines', '// src/a.ts:10-20\nlet a;\n', 'let a;'],
    ['removes the name of the file in a block comment', '/* ./src/a.ts */\nlet a;\n', 'let a;'],
    ['keeps a comment with other words', '// see src/a.ts\nlet a;', '// see src/a.ts\nlet a;'],
    ['keeps an expression with the name of the file', "'src/a.ts'.length;", "'src/a.ts'.length;"],
    ['keeps a list that begins with the name of the file', "'src/a.ts',\n'b'", "'src/a.ts',\n'b'"],
    ['keeps an import of the file', "import 'src/a.ts';\nlet a;", "import 'src/a.ts';\nlet a;"],
    ['keeps the name of another file', '// src/b.ts\nlet a;', '// src/b.ts\nlet a;'],
    ['returns nothing if there is only the name of the file', '// src/a.ts\n', ''],
  ];
  for (const [name, code, expected] of table)
    it(name, () => assert.equal(normalizeReplyCode(code, path, 'let a;\n'), expected));

  it('keeps the name of the file if the file begins with it', () => {
    const code = '// src/a.ts\nlet a;';
    assert.equal(normalizeReplyCode(code, path, '// src/a.ts\r\nlet b;\r\n'), code);
    assert.equal(normalizeReplyCode(code, undefined, ''), code);
  });
});
