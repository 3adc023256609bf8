import assert from 'node:assert/strict';
import { normalizeReplyCode } from '../../../../src/core/code/placeCode.ts';

describe('Code of a reply as a file has it', () => {
  const path = 'src/a.ts';
  const table: readonly (readonly [what: string, code: string, expected: string])[] = [
    ['as it is', 'let a;\n  let b;', 'let a;\n  let b;'],
    ['without line ends behind it', 'let a;\r\nlet b;\r\n\r\n', 'let a;\nlet b;'],
    ['without its name', '// src/a.ts\n\nlet a;\n', 'let a;'],
    ['without its name and a word for it', '// file: src/a.ts\nlet a;\n', 'let a;'],
    ['without its name and its lines', '// src/a.ts:10-20\nlet a;\n', 'let a;'],
    ['without its name between marks', '/* ./src/a.ts */\nlet a;\n', 'let a;'],
    ['with a comment that says more', '// see src/a.ts\nlet a;', '// see src/a.ts\nlet a;'],
    ['with a text that names it', "'src/a.ts'.length;", "'src/a.ts'.length;"],
    ['with a list that begins with it', "'src/a.ts',\n'b'", "'src/a.ts',\n'b'"],
    ['with an import of it', "import 'src/a.ts';\nlet a;", "import 'src/a.ts';\nlet a;"],
    ['with the name of another', '// src/b.ts\nlet a;', '// src/b.ts\nlet a;'],
    ['when there is nothing else', '// src/a.ts\n', ''],
  ];
  for (const [what, code, expected] of table)
    it(what, () => assert.equal(normalizeReplyCode(code, path, 'let a;\n'), expected));

  it('keeps a name with which the file begins', () => {
    const code = '// src/a.ts\nlet a;';
    assert.equal(normalizeReplyCode(code, path, '// src/a.ts\r\nlet b;\r\n'), code);
    assert.equal(normalizeReplyCode(code, undefined, ''), code);
  });
});
