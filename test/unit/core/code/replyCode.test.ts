import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeExtractor, WordsReply } from '../../../../src/core/code/codeExtractor.ts';
import { runs } from '../../../support/sample.ts';

const seed = Number(process.env['SEED'] ?? 7);

/** The code of a reply, or undefined if it is words. */
function codeOf(pieces: readonly string[], language: string): string | undefined {
  const extractor = new CodeExtractor(language);
  const code = pieces.map((piece) => extractor.push(piece)).join('');
  try {
    return code + extractor.end();
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    assert.equal(error.words, pieces.join('').trim());
    return undefined;
  }
}

/** A reply for a file of a language. */
type WordsRow = readonly [language: string, reply: string];

/** Replies that hold no code: none of them may reach a file. */
const wordsOnly: readonly WordsRow[] = [
  ['typescript', ''],
  ['typescript', '\n\n  \n'],
  ['typescript', "Sorry, I can't help with that."],
  ['typescript', 'I cannot fix this code'],
  ['typescript', "I'm sorry, but I can’t assist with that request.\n"],
  ['typescript', ' I am unable to change this file.'],
  ['typescript', "sorry, i can't do that"],
  ['typescript', 'As an AI language model, I have no access to your files;'],
  ['python', 'I apologize, but this violates the policy:'],
  ['python', 'Unfortunately, there is not enough context to fix `total`.'],
  ['go', 'No changes needed.'],
  ['go', 'No changes needed'],
  ['go', '[No changes needed]'],
  ['go', '(nothing to do)'],
  ['rust', 'The code looks good!'],
  ['rust', 'Looks good.'],
  ['rust', 'OK'],
  ['rust', 'Done.'],
  ['rust', 'Done'],
  ['rust', '👍'],
  ['rust', '...'],
  ['rust', 'What??'],
  ['java', 'total'],
  ['java', 'This function is already correct: it returns the sum of a and b.'],
  ['java', 'The function returns x = 5; it should return x = 6;'],
  ['typescript', 'Entschuldigung, dabei kann ich nicht helfen.'],
  ['typescript', 'Tut mir leid, das geht nicht'],
  ['typescript', 'Der Code ist bereits korrekt: `f` gibt a+b zurück.'],
  ['typescript', 'Désolé, je ne peux pas modifier ce fichier.'],
  ['typescript', 'Lo siento, no puedo ayudar con eso.'],
  ['typescript', 'Desculpe, não posso ajudar.'],
  ['typescript', 'Mi dispiace, non posso farlo.'],
  ['typescript', 'Helaas kan ik dit niet aanpassen'],
  ['typescript', 'Niestety nie mogę tego zmienić.'],
  ['typescript', 'Üzgünüm, bu konuda yardımcı olamam.'],
  ['typescript', 'Xin lỗi, tôi không thể giúp.'],
  ['typescript', 'Извините, я не могу это исправить.'],
  ['typescript', 'Λυπάμαι, δεν μπορώ να βοηθήσω.'],
  ['typescript', '抱歉，我无法修改这个文件。'],
  ['typescript', '代码没有问题'],
  ['typescript', '申し訳ありませんが、お手伝いできません。'],
  ['typescript', '죄송하지만 도와드릴 수 없습니다.'],
  ['typescript', 'عذرًا، لا أستطيع المساعدة في ذلك.'],
  ['typescript', 'מצטער, אני לא יכול לעזור.'],
  ['typescript', 'माफ़ कीजिए, मैं मदद नहीं कर सकता।'],
  ['typescript', 'ขออภัย ฉันไม่สามารถช่วยได้'],
  ['typescript', 'Use `foo()` instead of `bar()`.'],
  ['typescript', '`foo` is fine'],
  ['typescript', 'You can call `total(items);` to get the sum'],
  ['typescript', '1. Open the file.\n2. Rename `a` to `b`.\n3. Save it.'],
  ['typescript', '1. Call foo();\n2. Call bar();'],
  ['typescript', '- Renamed `a`\n- Removed `b`'],
  ['typescript', '# Explanation\n\nThe function adds two numbers.'],
  ['python', '# Explanation\n\nThe function adds two numbers.'],
  ['python', '## Summary\n- it adds two numbers\n- it returns the sum'],
  ['python', 'from the module you can see that it works'],
  ['python', 'import the module first, then call it'],
  ['sql', 'Select the rows that you want to keep.'],
  ['shellscript', 'Echo is fine here, there is nothing to change.'],
  ['yaml', "Note: I can't see the rest of the file."],
  ['yaml', 'Sorry: this is not possible.'],
  ['typescript', 'The problem is here:\n\n  if (a = b)\n\nIt should be a comparison.'],
  ['typescript', 'Sorry, I cannot fix that. For example:\n\nfoo();\n'],
  ['typescript', 'function add(a, b) {\n  return a + b;\n}\n\nThen call it:\n\nadd(1, 2);\n'],
  ['typescript', 'Here is the fixed code:'],
  ['typescript', 'Here it is:\n```typesc'],
  ['typescript', '<think>\nHow?\n```ts\na();\n```\n</think>\nSorry, I cannot do that.'],
  ['typescript', '<thinking>function a() {}</thinking>\nI cannot.'],
  ['typescript', '<think>\nfunction a() {\n}'],
  ['typescript', 'I need another package first:\n\n```bash\nnpm install lodash\n```\n'],
  ['typescript', 'It prints:\n```text\nthe sum of all numbers\n```\n'],
  ['typescript', '```diff\n-const a = 1;\n+const a = 2;\n```'],
  ['typescript', '```ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a();\n+b();\n```'],
  ['typescript', '```ts\n@@ -1,2 +1,2 @@\n-a();\n+b();\n```'],
  ['typescript', '```ts\n const x = 1;\n-const a = 1;\n+const a = 2;\n```'],
  ['typescript', 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a();\n+b();\n'],
  ['typescript', '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a();\n+b();\n'],
  ['typescript', '-const a = 1;\n+const a = 2;\n'],
  ['typescript', 'Das geht nicht; dazu fehlt der ganze Kontext;'],
  ['typescript', 'To fix it, call sort() first, then slice(0, 3);'],
  ['typescript', 'Change `=` to `===` in line 4;'],
  ['typescript', '```markdown\nSorry, I cannot do that.\n```'],
  ['shellscript', 'sleep is not needed'],
  ['ruby', 'else is never reached'],
  ['elixir', 'end is missing'],
  ['dockerfile', 'FROM is missing'],
  ['sql', 'index is used already'],
  ['fortran', 'call is too early'],
  ['markdown', 'Unable to complete this request.'],
  ['markdown', 'Error: 500 Internal Server Error'],
  ['markdown', 'I need more context to improve this text.'],
  ['markdown', 'There is nothing to improve here.'],
  ['markdown', 'Es gibt nichts zu verbessern.'],
  ['markdown', 'Der Text ist bereits gut.'],
  ['markdown', 'Ce texte est déjà correct.'],
  ['markdown', 'El texto ya es correcto.'],
  ['markdown', 'この文章は問題ありません。'],
  ['markdown', '无需修改。'],
  ['plaintext', 'Текст уже хороший.'],
  ['markdown', "I'm sorry, but I can't help with that."],
  ['markdown', 'No changes needed.'],
  ['markdown', 'Could you tell me what this section is about?'],
  ['markdown', 'Here is the improved text:'],
  ['plaintext', 'Sorry, I cannot do that.'],
  ['plaintext', 'Es tut mir leid, das kann ich nicht.'],
  ['latex', 'I cannot change this document.'],
  ['restructuredtext', '抱歉，我无法修改。'],
  ['', 'I cannot do that.'],
];

/** A reply for a file of a language, and its code; the reply itself where that is absent. */
type CodeRow = readonly [language: string, reply: string, code?: string];

const withCode: readonly CodeRow[] = [
  // Fences.
  ['typescript', '```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', '```\nlet a;\n```', 'let a;\n'],
  ['typescript', '~~~ts\nlet a;\n~~~\n', 'let a;\n'],
  ['typescript', '  ```ts\n  let a;\n  ```', 'let a;\n'],
  ['typescript', '```ts\nlet a;\nlet b', 'let a;\nlet b'],
  ['typescript', '```ts\nlet a;\nlet b;\n``', 'let a;\nlet b;\n'],
  ['typescript', 'Sure!\n\n```ts\nlet a;\n```\n\nI renamed it.', 'let a;\n'],
  ['typescript', '```ts\nlet a;\n```\nThen:\n```ts\nlet b;\n```', 'let a;\n'],
  ['typescript', 'Run\n```sh\nnpm i\n```\nthen\n```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', 'Change\n```diff\n-a\n+b\n```\nso:\n```ts\nlet b;\n```', 'let b;\n'],
  ['typescript', "I can't be sure, but:\n```ts\nlet a;\n```", 'let a;\n'],
  ['typescript', '// src/a.ts\n```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', 'x = 5 is wrong:\n```ts\nx = 6;\n```', 'x = 6;\n'],
  ['typescript', '<think>\n```ts\nno();\n```\n</think>\n\n```ts\nyes();\n```', 'yes();\n'],
  ['typescript', '<think>Hm.</think>yes();\n', 'yes();\n'],
  ['typescript', '```\nSELECT the words;\n```', 'SELECT the words;\n'],
  ['typescript', '```text\nconst a = 1;\n```', 'const a = 1;\n'],
  ['shellscript', '```bash\necho hello world\n```', 'echo hello world\n'],
  ['dockerfile', 'So:\n```sh\nRUN npm ci\n```', 'RUN npm ci\n'],
  ['diff', '```diff\n-a\n+b\n```', '-a\n+b\n'],
  ['json', '```json\n{ "a": 1 }\n```', '{ "a": 1 }\n'],
  // Code without a fence.
  ['typescript', 'let a;\nlet b'],
  ['typescript', 'export function add(a: number, b: number): number {\n  return a + b;\n}\n'],
  ['typescript', '    return total;\n'],
  ['typescript', '  return total'],
  ['typescript', '// Returns the sum of all numbers.\n'],
  ['typescript', '/**\n * Sorry, I cannot explain this.\n */\nfunction a() {}\n'],
  ['typescript', '// function old(a) {\n//   return the + total;\n// }\n'],
  ['typescript', '@Component({\n  selector: "a",\n})\nexport class A {}\n'],
  ['typescript', 'const text = `\nSorry, I cannot help you with that.\n\nThe end.\n`;\n'],
  ['typescript', 'throw new Error("I am sorry, this is not possible.");\n'],
  ['typescript', "console.log('You can not do that');\n"],
  ['javascript', 'var x = 1\nvar y = x\n'],
  ['javascript', 'add(1, 2)\n'],
  ['typescriptreact', '<div>\n  The text of the page.\n</div>\n'],
  ['c', 'unsigned long long int total;\n'],
  ['cpp', 'Foo bar;\n'],
  ['typescript', 'throw new Error(message);\n'],
  ['shellscript', 'test -f "$file"\n'],
  ['shellscript', 'echo done\n'],
  ['sql', 'SELECT a FROM b WHERE c IS NULL;\n'],
  ['sql', 'Select the_name From users Where id Is Null;\n'],
  ['markdown', 'There are three ways to do this.\n'],
  ['markdown', 'Errors are shown in red.\n'],
  ['markdown', 'Der Text beschreibt die Schritte.\n'],
  ['typescript', 'So:\n```md\nconst a = 1;\n```', 'const a = 1;\n'],
  ['html', '<p>\nThe text of the page is here.\n</p>\n'],
  ['css', '.a {\n  color: red;\n}\n'],
  ['python', 'return total'],
  ['python', 'total = 1\nprint total\n'],
  ['python', '"""Returns the sum of all the numbers."""\n'],
  ['python', 'def f():\n    """\n    Sorry.\n\n    This is the text of it.\n    """\n    pass\n'],
  ['python', 'for item in items:\n    print(item)\n'],
  ['python', 'if a not in b and c is None:\n    pass\n'],
  ['python', '# This is the list of all the things.\nitems = []\n'],
  ['python', 'from a import b\n'],
  ['python', 'pass'],
  ['go', 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hi")\n}\n'],
  ['go', 'x := 1\n'],
  ['rust', 'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n'],
  ['rust', '#[derive(Debug)]\nstruct Point;\n'],
  ['java', 'public class A {\n    int a;\n}\n'],
  ['c', '#include <stdio.h>\n\nint main(void)\n{\n    return 0;\n}\n'],
  ['csharp', 'using System;\n\nnamespace A {\n}\n'],
  ['kotlin', 'fun main() = println("hi")\n'],
  ['swift', 'func greet(name: String) -> String {\n    "Hi"\n}\n'],
  ['php', '<?php\necho "hi";\n'],
  ['ruby', 'def greet\n  puts "hi"\nend\n'],
  ['ruby', 'puts total\n'],
  ['lua', 'local x = 1\nreturn x\n'],
  ['haskell', 'module Main where\n\nmain :: IO ()\nmain = putStrLn "hi"\n'],
  ['clojure', '(defn add [a b]\n  (+ a b))\n'],
  ['elixir', 'defmodule A do\n  def b, do: :c\nend\n'],
  ['r', 'x <- c(1, 2)\n'],
  ['sql', 'SELECT name FROM users WHERE active ORDER BY name\n'],
  ['sql', 'select name\nfrom users\nwhere id = 1\n'],
  ['sql', '-- The names of all the users.\nselect name from users\n'],
  ['cobol', 'MOVE TOTAL TO RESULT.\nDISPLAY RESULT.\nSTOP RUN.\n'],
  ['shellscript', 'echo hello world\n'],
  ['shellscript', '#!/bin/sh\ncat <<EOF\nThis is the text for you.\nEOF\n'],
  ['powershell', 'Get-Process | Where-Object Name\n'],
  ['bat', '@echo off\necho Hello world\n'],
  ['dockerfile', 'FROM node:22\nRUN npm ci\n'],
  ['makefile', 'build: clean\n\tgo build\n'],
  ['vb', 'Dim total As Integer\nEnd Sub\n'],
  ['fortran', 'program hello\n  print *, "hi"\nend program hello\n'],
  ['json', '{\n  "a": 1\n}\n'],
  ['json', '"name": "Sorry, I cannot.",\n'],
  ['yaml', 'name: build\non:\n  push:\n    branches: [main]\n'],
  ['yaml', 'description: This is the text that you see.\n'],
  ['yaml', '- name: test\n  run: npm test\n'],
  ['toml', '[package]\nname = "a"\n'],
  ['ini', '; The settings of it all.\n[section]\nkey=value\n'],
  ['xml', '<a>\n  <b/>\n</a>\n'],
  ['asm', 'mov eax, ebx\nret\n'],
  ['', 'x = 1;\n'],
  // Code without a fence, and words around it.
  ['typescript', 'Here is the fixed code:\n\nlet a = 1;\nlet b;\n', 'let a = 1;\nlet b;\n'],
  ['typescript', 'Sure! Here’s the updated function:\nfunction f() {\n}\n', 'function f() {\n}\n'],
  ['typescript', 'Sure!\n\nHere it is:\n\nconst a = 1;\n', 'const a = 1;\n'],
  ['typescript', 'Hier ist der Code:\n\nconst a = 1;\n', 'const a = 1;\n'],
  ['typescript', '以下是修复后的代码：\n\nconst a = 1;\n', 'const a = 1;\n'],
  ['typescript', 'const a = 1;\n\nI made `a` a constant.\n', 'const a = 1;\n'],
  ['typescript', 'f() {\n}\nThis fixes the bug.', 'f() {\n}\n'],
  ['typescript', 'f() {\n}\n\nChanges made:\n- renamed a\n- removed b\n', 'f() {\n}\n'],
  ['typescript', 'let a;\nlet b;\n```\n', 'let a;\nlet b;\n'],
  ['typescript', 'let a;\n```\n\nThis declares it.\n', 'let a;\n'],
  // Text is the content of a file of text.
  ['markdown', 'A paragraph about the weather.\n'],
  ['markdown', '# Title\n\nSome words.\n'],
  ['markdown', '# A\n\n```sh\nls\n```\n'],
  ['markdown', 'First, install it.\n\n```sh\nnpm i\n```\n\nThen run it.\n'],
  [
    'markdown',
    "Here's the section:\n\n## Install\n\n```sh\nnpm i\n```\n",
    '## Install\n\n```sh\nnpm i\n```\n',
  ],
  [
    'markdown',
    'Sure:\n\n```markdown\n# A\n```ts\nb\n```\nend\n```\nDone.',
    '# A\n```ts\nb\n```\nend\n',
  ],
  ['markdown', 'I rewrote it.\n\n```\n# A\n```\n', '# A\n'],
  ['markdown', 'Word\n'],
  ['plaintext', 'The quick brown fox.\nIt jumps.\n'],
  ['plaintext', 'Here is the text:\n\nThe quick brown fox.\n', 'The quick brown fox.\n'],
  ['plaintext', 'a\nB\n'],
  ['latex', '\\section{A}\nThe text of it.\n'],
  ['latex', 'The text of it is short.\n'],
  ['restructuredtext', 'Title\n=====\n\nThe text of it.\n'],
  ['git-commit', 'Fix the sum of an empty list\n'],
];

describe('a reply that is to be code', () => {
  for (const [language, reply] of wordsOnly) {
    it(`is words for ${language || 'any file'}: ${JSON.stringify(reply)}`, () => {
      assert.equal(codeOf([reply], language), undefined);
    });
  }

  for (const [language, reply, code = reply] of withCode) {
    it(`is code for ${language || 'any file'}: ${JSON.stringify(reply)}`, () => {
      assert.equal(codeOf([reply], language), code);
    });
  }

  const all = [...wordsOnly, ...withCode];

  it('is the same however it is cut into two', () => {
    for (const [language, reply] of all) {
      const whole = codeOf([reply], language);
      for (let cut = 0; cut <= reply.length; cut++) {
        assert.equal(codeOf([reply.slice(0, cut), reply.slice(cut)], language), whole, reply);
      }
      assert.equal(codeOf(reply.match(/[^]/g) ?? [], language), whole, reply);
    }
  });

  it('is the same from any pieces, also where replies are put together', () => {
    const rows = fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 4 });
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(rows, lengths, (chosen, steps) => {
        const [[language]] = [chosen[0] ?? all[0] ?? ['', '']];
        const reply = chosen.map((row) => row[1]).join('\n');
        const pieces: string[] = [];
        for (let at = 0, step = 0; at < reply.length; step++) {
          const length = steps[step % steps.length] ?? 1;
          pieces.push(reply.slice(at, at + length));
          at += length;
        }
        assert.equal(codeOf(pieces, language), codeOf([reply], language));
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('is words in front of every language, with line ends of Windows too', () => {
    const languages = ['typescript', 'python', 'go', 'sql', 'yaml', 'shellscript', 'cobol', 'ruby'];
    for (const [, reply] of wordsOnly.filter(([language]) => language === 'typescript')) {
      if (reply.includes('```') || /^[-<]/.test(reply) || reply.includes('diff')) continue;
      for (const language of languages) {
        assert.equal(codeOf([reply.replaceAll('\n', '\r\n')], language), undefined, reply);
      }
    }
  });

  it('streams a block at once, and code without a fence from its first certain line on', () => {
    const fenced = new CodeExtractor('typescript');
    assert.equal(fenced.push('Sure:\n```ts\nlet a'), '');
    assert.equal(fenced.push(';\nlet b'), 'let a;\n');
    const plain = new CodeExtractor('typescript');
    assert.equal(plain.push('// Adds.\n'), '');
    assert.equal(plain.push('function add() {\n'), '// Adds.\nfunction add() {\n');
    assert.equal(plain.push('}\n'), '}\n');
  });

  it('is read in one pass: no line and no number of lines is looked at again and again', () => {
    const long = [
      'a '.repeat(500_000),
      ' '.repeat(1_000_000),
      '`'.repeat(1_000_000),
      'Sorry '.repeat(200_000),
      '<'.repeat(1_000_000),
      'The words\n'.repeat(100_000),
      '// a\n'.repeat(200_000),
      'f();\n\nThe end.\n\n'.repeat(50_000),
      `f();\n${'The end.\n\n'.repeat(100_000)}`,
      `f(\`\n${'The end.\n'.repeat(100_000)}`,
    ];
    for (const text of long) {
      const reply = text.slice(0, runs(1_000_000));
      const code = codeOf(reply.match(/[^]{1,4000}/g) ?? [], 'typescript');
      assert.ok((code?.length ?? 0) <= reply.length);
    }
  });
});
