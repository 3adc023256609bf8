/** Markdown with one of every element that a reply can show. */
export const everyBlock = `# First heading

A paragraph with **bold**, *italic*, ~~struck~~, \`inline code\`, \`src/app.ts\`, a [link](https://example.com/page)
and the formula $a^2 + b^2 = c^2$.

## Second heading

- one
- two
  1. inner
  2. list
- [ ] to do
- [x] done

> A quote with a [link](https://example.com) and \`code\`.
>
> - in it a list

### Third heading

| Name | Use | Count |
| :--- | :-: | ---: |
| \`alpha\` | first | 1 |
| beta | [second](https://example.com/b) | 22 |

![a picture](https://example.com/p.png)

<details><summary>More about it</summary>

Hidden at first, with \`code\`.

</details>

#### Fourth heading

Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O.

---

$$
\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}
$$

The end.`;

/** Code with every syntax color. */
export const everyToken = `In \`src/app.ts\`:

\`\`\`ts
// A comment
import { read } from './read.ts';
@sealed
export class Sum<T> extends Base {
  readonly count: number = 42;
  add(value: string | null): boolean {
    return this.count > 0x1f && value === \`a \${this.count}\` ? true : /re+/g.test('text');
  }
}
\`\`\`

\`\`\`html
<!-- comment -->
<a href="page.html" class='link'>text &amp; more</a>
\`\`\`

\`\`\`css
@media (width > 400px) {
  .panel > a:hover { color: #fff !important; margin: 0 auto; }
}
\`\`\`

\`\`\`diff
--- a/src/app.ts
+++ b/src/app.ts
@@ -1,3 +1,3 @@
 let a = 1;
-let b = 2;
+let b = 3;
\`\`\`

\`\`\`sh
npm run build && echo "done" # a comment
\`\`\`

\`\`\`mermaid
graph TD; A-->B;
\`\`\`
`;

/** Prose of right-to-left languages, with embedded code and left-to-right words. */
export const rightToLeft = `## عنوان الفقرة الأولى

هذه فقرة باللغة العربية تحتوي على كلمة English وملف \`src/app.ts\` ورابط [هنا](https://example.com).

This paragraph is in English, with the word مرحبا in it.

- عنصر أول في القائمة
- second item in English
- عنصر ثالث
  - عنصر داخلي

1. خطوة أولى
2. خطوة ثانية

- [ ] مهمة
- [x] مهمة منتهية

> اقتباس باللغة العربية.

| الاسم | Use | العدد |
| --- | --- | ---: |
| ألف | first | 1 |
| باء | الثاني | 2 |

\`\`\`ts
// تعليق
const greeting = 'مرحبا'; // English
\`\`\`

פסקה בעברית, עם נקודה בסוף.`;
