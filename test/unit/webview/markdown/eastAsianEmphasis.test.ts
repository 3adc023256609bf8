import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../support/sample.ts';
import { assertSameStreamed, render, renderStreamed } from './rendering.ts';

/** Emphasis that CommonMark doesn't draw, since a letter without a space is beside its delimiter. */
const emphasized = [
  '**注意：**',
  '**「重点」**',
  '**“문서”**',
  '**한국어 구문(괄호 포함)**',
  '**文章（例）。**',
  '**《李茶的姑妈》**',
  '**`foo()`**',
  '**50%**',
  '**[文档](https://example.com)**',
  '**历经10年发展，**',
  '*（斜体）*',
  '***「両方」***',
  '~~（旧）~~',
  '~~「廃止」~~',
];
const texts = fc
  .array(
    fc.tuple(
      fc.constantFrom('正文', 'この文', '입니다', '𠮷野', 'カ'),
      fc.constantFrom(...emphasized),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((pairs) => `${pairs.flat().join('')}是`);

describe('Emphasis beside Chinese, Japanese and Korean text', () => {
  for (const [text, selector, ...words] of [
    ['**注意：**正文', 'strong', '注意：'],
    ['含**「重点」**内容', 'strong', '「重点」'],
    ['**“문서”**는 원칙입니다.', 'strong', '“문서”'],
    ['**文章（例）。**この文', 'strong', '文章（例）。'],
    ['使用**`foo()`**函数', 'strong', 'foo()'],
    ['- **第一步：**打开\n- **第二步。**保存', 'strong', '第一步：', '第二步。'],
    ['增长**50%**以上', 'strong', '50%'],
    ['见**[文档](https://a.example/)**。然后', 'strong', '文档'],
    ['**历经10年发展，**a', 'strong', '历经10年发展，'],
    ['**「A」**なので**「B」**です', 'strong', '「A」', '「B」'],
    ['**가비지 콜렉터(GC)**는', 'strong', '가비지 콜렉터(GC)'],
    ['*（斜体）*的', 'em', '（斜体）'],
    ['前*「フレーズ」*後', 'em', '「フレーズ」'],
    ['这是~~（旧）~~新的', 's', '（旧）'],
    ['| 项 | 值 |\n|---|---|\n| **甲：**乙 | 丙 |', 'strong', '甲：'],
  ] as const)
    it(`is drawn: ${JSON.stringify(text)}`, () => {
      const drawn = [...render(text).querySelectorAll(selector)];
      assert.deepEqual(
        drawn.map(({ textContent }) => textContent),
        words,
      );
    });

  it('stays as CommonMark has it in other text', () => {
    for (const text of ['**Warning:**text', 'a*"foo"*', '~~(old)~~new', '**é:**x', '**🙂**a'])
      assert.equal(render(text).querySelector('strong, em, s'), null, text);
  });

  it('shows no delimiter while it arrives', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const characters = Array.from(text, ({ length }) => length);
        renderStreamed(text, characters, ({ textContent }) =>
          assert.doesNotMatch(textContent, /[*~`[\]]/, text),
        );
      }),
      { numRuns: runs(100) },
    );
  });

  it('ends up the same in whatever pieces it arrives', () => {
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
    const marks = fc.constantFrom(
      ...['*', '**', '_', '~~', '「', '」', '：', '“', '正', '한', 'a', ' ', '🙂'],
    );
    const mixed = fc.array(marks, { maxLength: 20 }).map((all) => all.join(''));
    fc.assert(fc.property(fc.oneof(texts, mixed), sizes, assertSameStreamed), {
      numRuns: runs(300),
    });
  });
});
