import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadTypesetter } from '../../../../src/webview/markdown/mathml.ts';
import { runs } from '../../../support/sample.ts';
import { each, render, renderStreamed, document } from './rendering.ts';
import { build } from 'esbuild';
import { type createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { projectFolder } from '../../../support/paths.ts';
import { until } from '../../../support/until.ts';

function formulasOf(text: string): readonly (string | null)[] {
  const sources = render(text).querySelectorAll('.formula.drawn > .formula-source');
  return Array.from(sources, ({ textContent }) => textContent);
}

function displayed(text: string): readonly (string | null)[] {
  const sources = render(text).querySelectorAll('.formula.display > .formula-source');
  return Array.from(sources, ({ textContent }) => textContent);
}

describe('Formulas in a reply', () => {
  before(async () => {
    assert.ok(await loadTypesetter());
  });

  const inline: readonly (readonly [text: string, formulas: readonly string[]])[] = [
    ['Let $x$ be', ['$x$']],
    ['$x$, $y$; ($z$) "$w$" **$v$**', ['$x$', '$y$', '$z$', '$w$', '$v$']],
    ['the $n$th and $k$-means', ['$n$', '$k$']],
    ['$a$/$b$ and $2^n$ and $3 \\times 4$', ['$a$', '$b$', '$2^n$', '$3 \\times 4$']],
    ['\\(a+b\\) and \\(c\\)', ['\\(a+b\\)', '\\(c\\)']],
    ['inline $$a = b$$ here', ['$$a = b$$']],
    ['and \\[a = b\\] here', ['\\[a = b\\]']],
    ['$a\nb$', ['$a\nb$']],
    ['$a_1$ and $b_2$', ['$a_1$', '$b_2$']],
    ['$*a*$ $`$ $<b>$', ['$*a*$', '$<b>$']],
    ['设$x$为', ['$x$']],
    ['| $x$ | \\(y\\) |\n|---|---|\n| $z$ | 5 |', ['$x$', '\\(y\\)', '$z$']],
    ['# Title $x$', ['$x$']],
    ['[see $x$](https://example.com)', ['$x$']],
    ['> $x$\n> - $y$', ['$x$', '$y$']],
    ['$\\$5$', ['$\\$5$']],
  ];
  for (const [text, formulas] of inline)
    it(`are found: ${JSON.stringify(text)}`, () => assert.deepEqual(formulasOf(text), formulas));

  const texts = [
    '$PATH:$HOME ${A}/${B} $(pwd)/$(ls)',
    'a$b$c',
    'It costs $5, or 5$ elsewhere.',
    '$ x $ and $x $',
    '\\$x\\$ and \\$5',
    'price$x$',
    '$x$5',
    'https://example.com/?a=$b&c=$d',
    'the first $ and the last $',
    '$$$',
    '$$$$',
    'file\\(s\\) and \\(open',
    '\\[optional\\] and \\[1\\]',
    '$$ is the process id of the shell',
    'so $f is continuous$ here',
  ];
  for (const text of texts)
    it(`are not found: ${JSON.stringify(text)}`, () => {
      const container = render(text);
      assert.equal(container.querySelectorAll('.formula').length, 0, container.innerHTML);
      assert.equal(container.textContent, text.replaceAll('\\$', '$'));
    });

  it('are not found in code', () => {
    for (const text of ['`$x$`', '```\n$x$\n$$\ny\n$$\n```', '    $x$', '`\\(x\\)`', '$a `b$ c`'])
      assert.deepEqual(formulasOf(text), [], text);
  });

  it('are not found across a blank line', () => {
    for (const text of ['$a\n\nb$', '$$\na\n\nb\n$$', '\\[\na\n\nb\n\\]', '\\(a\n\nb\\)'])
      assert.deepEqual(formulasOf(text), [], text);
  });

  it('can have several lines, whatever each begins with', () => {
    const formula = '$$\na\n- b\n= c\n+ d\n> e\n# f\n1. g\n---\n$$';
    for (const text of [formula, `where\n${formula}\nis`, `- item\n\n  ${formula}`])
      assert.equal(
        displayed(text.replaceAll('\n', text.startsWith('-') ? '\n  ' : '\n')).length,
        1,
      );
    assert.deepEqual(displayed(`a\n${formula}\nb`), [formula]);
    assert.deepEqual(displayed('\\[\nx\n\\]\nand\n\\[ y \\]'), ['\\[\nx\n\\]', '\\[ y \\]']);
    assert.deepEqual(displayed('> $$\n> x\n> $$\n> a'), ['$$\nx\n$$']);
    assert.deepEqual(displayed('1. a\n   $$\n   x\n   $$\n2. b'), ['$$\nx\n$$']);
  });

  it('are text if they are never closed', () => {
    assert.equal(render('$$\na\n- b').textContent, '$$\na\n- b');
    assert.equal(render('$$\nthis is prose\n- b').querySelectorAll('p, li').length, 2);
    assert.equal(render(`$$\n${'x+\n'.repeat(2000)}`).querySelectorAll('.formula').length, 0);
  });

  it('are MathML for screen readers, and source text for selection and Find', () => {
    const formula = render('Let $x^2$ be').querySelector('.formula');
    assert.equal(formula?.querySelector('.formula-source')?.getAttribute('aria-hidden'), 'true');
    const math = formula.querySelector('math');
    assert.equal(math?.namespaceURI, 'http://www.w3.org/1998/Math/MathML');
    assert.equal(math.firstElementChild?.namespaceURI, math.namespaceURI);
    assert.equal(math.querySelector('msup')?.children.length, 2);
    assert.equal(render('$$x$$').querySelector('math')?.getAttribute('display'), 'block');
  });

  it("are shown as source if they can't be rendered", () => {
    for (const tex of ['\\unknown', '\\frac{a', 'a^', '\\begin{x}', '{', '\\left(']) {
      const container = render(`Let $${tex}$ be`);
      assert.equal(container.textContent, `Let $${tex}$ be`);
      assert.equal(container.querySelectorAll('.formula.as-source').length, 1);
    }
  });
});

describe('A hostile formula', () => {
  before(() => loadTypesetter());

  const harmless = /^(?:math|m[a-z]+)$/;
  const names =
    /^(?:class|data-tex|display|[a-z]*(?:size|space|level|style|form|fence|able|ness)|accent|separator|symmetric|stretchy|width|height|depth|voffset|movablelimits|mathvariant)$/;

  it('adds no elements or attributes', () => {
    for (const tex of [
      '\\href{javascript:alert(1)}{x}',
      '\\url{https://evil.example}',
      '\\includegraphics{https://evil.example/a.png}',
      '\\class{code-header}{x}',
      '\\id{root}{x}',
      '\\style{position:fixed}{x}',
      '\\data{action=run}{x}',
      '\\htmlClass{a}{x}',
      '\\text{<img src=x onerror=alert(1)>}',
      '\\color{url(https://evil.example)}{x}',
      '\\colorbox{red}{x} \\textcolor{#ff0000}{y}',
      '\\rule{1000em}{1000em} \\hspace{-1000em} \\raisebox{100em}{x} \\kern -90em x',
      'x \\label{root} \\tag{<b>}',
      '\\Huge x \\verb|<b>|',
    ]) {
      const container = render(`a $$${tex}$$ b`);
      assert.equal(
        container.querySelectorAll('a, img, script, [style], [id], [href]').length,
        0,
        tex,
      );
      for (const element of container.querySelectorAll('math, math *')) {
        assert.match(element.localName, harmless, tex);
        for (const { name, value } of element.attributes) {
          if (name === 'data-tex') continue;
          assert.match(name, names, tex);
          assert.doesNotMatch(value, /\d{3}|:|-[1-9]/, tex);
        }
      }
    }
  });

  it('is shown as source if it would be too long', () => {
    for (const tex of [
      '\\def\\a{\\b\\b}\\def\\b{\\c\\c}\\def\\c{xx}\\a',
      '\\gdef\\a#1{\\a{#1#1}}\\a{x}',
      '\\newcommand{\\a}{x}\\a',
      '\\let\\a=x',
      '\\sqrt'.repeat(500) + 'x',
      'x^{'.repeat(400) + '}'.repeat(400),
    ]) {
      const container = render(`$$${tex}$$`);
      assert.equal(container.querySelectorAll('math').length, 0, tex.slice(0, 40));
      assert.equal(container.textContent, `$$${tex}$$`);
    }
    for (const tex of ['x'.repeat(100_000), '{'.repeat(10_000), '\\frac{a}{b}'.repeat(2000)])
      assert.equal(render(`$$${tex}$$`).querySelectorAll('.formula').length, 0);
  });

  it('is shown as source if nested commands would build their arguments again and again', () => {
    for (const name of ['\\equilibriumRight', '\\equilibriumLeft', '\\llap', '\\mathllap']) {
      const nested = (times: number) => `${`${name}{`.repeat(times)}x${'}'.repeat(times)}`;
      assert.equal(render(`$$${nested(20)}$$`).querySelectorAll('math').length, 0, name);
      assert.equal(render(`$$${nested(2)}$$`).querySelectorAll('math').length, 1, name);
    }
    const struck = `${'\\cancelto{a}{'.repeat(20)}x${'}'.repeat(20)}`;
    assert.equal(render(`$$${struck}$$`).querySelectorAll('math').length, 0);
  });

  it('repeats its arguments with no other command of the library', async () => {
    const { default: temml } = await import('temml');
    const library = readFileSync(fileURLToPath(import.meta.resolve('temml')), 'utf8');
    const commands = new Set(
      Array.from(library.matchAll(/"\\\\([A-Za-z]+)\*?"/g), ([, name = '']) => name),
    );
    assert.ok(commands.size > 1000);
    const isSmall = (command: string): boolean => {
      const uses = ['{#}', '{#}{a}', '{a}{#}', '{a}{a}{#}'];
      return uses.every((use) => {
        let tex = 'x';
        for (let depth = 0; depth < 9; depth++)
          tex = `{\\${command}${use.replace('#', () => tex)}}`;
        try {
          const tree: unknown = temml.__renderToMathMLTree(tex, { throwOnError: true });
          return countNodes(tree) < 1000;
        } catch {
          return true;
        }
      });
    };
    assert.deepEqual([...commands].filter((command) => !isSmall(command)).toSorted(), [
      'cancelto',
      'equilibriumLeft',
      'equilibriumRight',
      'llap',
      'mathllap',
    ]);
  });
});

describe('While a formula streams', () => {
  before(() => loadTypesetter());

  const formula = fc.constantFrom(
    '$x$',
    '$x^2 + y_1$',
    '$\\frac{a}{b}$',
    '\\(a \\le b\\)',
    '$$a = b$$',
    '\n$$\na = b\n- c\n$$\n',
    '\n\\[\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n\\]\n',
    '$\\text{if } x > 0$',
    '$n$th',
  );
  const words = fc.constantFrom('some words ', 'and **bold** ones ', 'a list:\n\n- with ', 'or ');
  const document = fc
    .array(fc.tuple(words, formula), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([word, tex]) => `${word}${tex} `).join('') + '\n\nend\n');

  it('nothing of its source is visible', () => {
    fc.assert(
      fc.property(document, (text) => {
        renderStreamed(text, each(1), (container) => {
          const copy = container.cloneNode(true);
          assert.ok(copy instanceof Element);
          for (const drawn of copy.querySelectorAll('.formula.drawn')) drawn.remove();
          assert.doesNotMatch(copy.textContent, /[$\\{}^&=]/, text);
        });
      }),
      { numRuns: runs(100), seed: 7 },
    );
  }).timeout(120_000);

  it('it ends up the same, however it is cut', () => {
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(document, sizes, (text, cuts) => {
        assert.equal(renderStreamed(text, cuts).innerHTML, render(text).innerHTML);
      }),
      { numRuns: runs(300), seed: 7 },
    );
  }).timeout(120_000);

  it('text with an amount of money is shown as soon as its next word begins', () => {
    for (const text of ['It costs $5 a month', 'It costs $1,000.50. That', '($20 or']) {
      const container = renderStreamed(text, each(1), () => undefined);
      assert.equal(container.textContent, text);
      let visibleText = '';
      renderStreamed(`${text} is`, each(1), (page) => (visibleText = page.textContent));
      assert.equal(visibleText, `${text} is`);
    }
  });
});

describe('Amounts of money', () => {
  before(() => loadTypesetter());

  const amount = fc.oneof(
    fc.integer({ min: 0, max: 99_999 }).map((value) => `$${value}`),
    fc.double({ min: 0, max: 999, noNaN: true }).map((value) => `$${value.toFixed(2)}`),
    fc.integer({ min: 1, max: 99 }).map((value) => `$${value},000`),
    fc.integer({ min: 1, max: 99 }).map((value) => `$${value}k`),
    fc.constantFrom('US$3', '$HOME', '$1M', '-$7', '~$9', '($4)', '$5/month', '**$5**'),
  );
  const between = fc.constantFrom(
    ...[' ', ' and ', '-', ' to ', ', ', ' - ', '–', '/', ' per user, ', '. '],
  );
  const sentence = fc
    .array(fc.tuple(amount, between), { minLength: 1, maxLength: 8 })
    .map((parts) => `From ${parts.flat().join('')} a month.`);

  it('stay text', () => {
    fc.assert(
      fc.property(sentence, (text) => {
        const container = render(text);
        assert.equal(container.querySelector('.formula'), null, container.innerHTML);
      }),
      { numRuns: runs(1000), seed: 7 },
    );
  });
});

/** Number of nodes in a tree of the library. */
function countNodes(tree: unknown): number {
  const children: unknown =
    typeof tree === 'object' && tree !== null && 'children' in tree ? tree.children : [];
  if (!Array.isArray(children)) return 1;
  return children.reduce<number>((count, child) => count + countNodes(child), 1);
}

const renderer = z.object({
  createMarkdownStream: z.custom<typeof createMarkdownStream>(),
});

let count = 0;

/** A separate instance of the renderer, which has loaded no library yet. */
async function freshRenderer(): Promise<z.infer<typeof renderer>> {
  const { outputFiles } = await build({
    absWorkingDir: projectFolder,
    entryPoints: ['src/webview/markdown/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  // A module with another URL is evaluated again.
  const script = `${outputFiles.map(({ text }) => text).join('')}// ${(count += 1)}`;
  const url = `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`;
  return renderer.parse(await import(url));
}

describe('The first formula', () => {
  it('is shown as source, and then rendered in place', async () => {
    const fresh = await freshRenderer();
    const page = document.createElement('div');
    document.body.append(page);
    const stream = fresh.createMarkdownStream(page);
    stream.push('Let $x^2$ be **so**.\n\n$$y$$\n');
    stream.end();
    assert.equal(page.querySelectorAll('math').length, 0);
    assert.equal(page.querySelector('p')?.textContent, 'Let $x^2$ be so.');
    const nodes = Array.from(page.querySelectorAll('.formula, .formula-source, strong, p'));
    const text = page.querySelector('.formula-source')?.firstChild ?? null;
    assert.ok(text);
    document.getSelection()?.selectAllChildren(page);
    await until(() => page.querySelectorAll('math').length === 2);
    assert.deepEqual(
      Array.from(page.querySelectorAll('.formula, .formula-source, strong, p')),
      nodes,
    );
    assert.equal(page.querySelector('.formula.drawn > .formula-source')?.firstChild, text);
    assert.ok(document.getSelection()?.containsNode(text));
    page.remove();
  });
});
