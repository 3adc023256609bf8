import assert from 'node:assert/strict';
import wholeTemml from 'temml';
import * as z from 'zod/mini';
import { leanTemml } from '../../build/leanTemml.ts';
import { toMathML } from '../../src/webview/markdown/formula/mathml.ts';
import { bundledPackage } from '../support/bundledPackage.ts';

interface Library {
  __renderToMathMLTree(tex: string, options: object): unknown;
}

const module = z.object({ default: z.custom<Library>() });

/** Typical formulas of models. */
const formulas = String.raw`
x^2 + y^2 = z^2
\frac{a}{b} + \dfrac{1}{2} + \tfrac{x}{y} + \cfrac{1}{1+\cfrac{1}{x}}
\sqrt{2} \sqrt[3]{x+1}
\sum_{i=1}^{n} i = \frac{n(n+1)}{2}
\int_0^\infty e^{-x^2}\,dx \iint_D \oint f \prod_{k=1}^n \bigcup_{i} A_i \bigoplus
\lim_{x\to 0} \frac{\sin x}{x} = 1
\begin{pmatrix} a & b \\ c & d \end{pmatrix} \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}
\begin{vmatrix} a \end{vmatrix}\begin{Bmatrix} 1\\2\end{Bmatrix}\begin{smallmatrix} a&b\end{smallmatrix}
f(x) = \begin{cases} x^2 & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}
\begin{aligned} a &= b + c \\ &= d \end{aligned}
\begin{align} a &= b \\ c &= d \end{align}
\begin{align*} a &= b \\ c &= d \end{align*}
\begin{gather*} a = b \\ c = d \end{gather*}
\begin{equation} E = mc^2 \end{equation}
\begin{split} a &= b \\ &= c \end{split}
\begin{array}{c|cc} a & b & c \\ \hline d & e & f \end{array}
\left( \frac{a}{b} \right) \left\{ y \right\} \left\| w \right\| \left( a \middle| b \right)
\big( \Big[ \bigg\{ \Bigg| x
\hat{x} \bar{y} \vec{v} \dot{a} \ddot{b} \tilde{n} \check{c} \breve{u} \acute{e} \grave{e}
\widehat{abc} \widetilde{abc} \overline{AB} \underline{x} \overrightarrow{AB}
\overbrace{a+b}^{n} \underbrace{c+d}_{m}
\alpha\beta\gamma\varepsilon\zeta\eta\theta\kappa\lambda\mu\pi\rho\sigma\phi\varphi\omega\Gamma\Omega
\mathbb{R} \mathcal{L} \mathfrak{g} \mathscr{F} \mathbf{x} \mathrm{d}x \mathsf{A} \mathtt{abc} \bm{v}
\operatorname{argmax}_{x} \operatorname*{arg\,max}_\theta f \sin \log \det \max \gcd
a \pmod{n} \equiv b \mod m \bmod k \binom{n}{k} \tbinom{n}{k}
\text{hello world } \textbf{bold} \textit{it} \texttt{tt}
a \leq b \neq c \approx d \in E \notin F \subseteq G \cup H \emptyset \forall \exists \neg \land \implies \iff \to \mapsto
\nabla \cdot \mathbf{E} = \frac{\rho}{\varepsilon_0} \partial_t u \times \pm \cdot \ast
\langle x, y \rangle \lfloor x \rfloor \lceil y \rceil \lVert x \rVert x' y'' f^{(n)} x_{i,j}^{2}
\overset{!}{=} \underset{x}{\min} \stackrel{def}{=} \xrightarrow{f} \xleftarrow[g]{f}
\boxed{E = mc^2} \fbox{text} \cancel{x} \bcancel{x} \xcancel{x} \sout{x}
a \quad b \, c \; d \! e \ f \hspace{1em} \phantom{xyz} \kern 3pt k \ldots \cdots \vdots \ddots
\sum_{\substack{0<i<n \\ j}} a_i \displaystyle \frac12 \textstyle \scriptstyle a
E = mc^2 \tag{1}
\bra{\psi} \ket{\phi} \braket{\psi|\phi} \left.\frac{df}{dx}\right|_{x=0}
\mathop{\mathrm{tr}}\limits_{x} \mathrel{R} \mathbin{+} \rule{1em}{2pt} \raisebox{2pt}{x} \smash{x} \llap{a}
\genfrac(]{0pt}{2}{a}{b} {a \over b} {n \choose k} \mathchoice{a}{b}{c}{d} \verb|x^2| \char"41
x₁² α ∑ ∫ ≤ → ℝ \text{ö ü é} \pmb{x} \boldsymbol{x+\alpha=1} \not= \nleq
\unknown
\frac{a
a^
\left( x
`
  .trim()
  .split('\n');

describe('the lean Temml', () => {
  let lean: Library;
  let script = '';

  before(async () => {
    script = await bundledPackage('temml', [leanTemml]);
    const url = `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`;
    lean = module.parse(await import(url)).default;
  });

  for (const tex of formulas) {
    it(`parses, like the original, ${tex.slice(0, 60)}`, () => {
      for (const displayMode of [true, false])
        assert.deepEqual(outcome(lean, tex, displayMode), outcome(wholeTemml, tex, displayMode));
    });
  }

  it('excludes code that creates elements or writes markup', () => {
    for (const name of ['createElement', 'innerHTML', '<img', 'toMarkup() {', 'toNode() {'])
      assert.ok(!script.includes(name), name);
  });

  it('renders nearly all formulas', () => {
    const drawn = formulas.filter((tex) => outcome(lean, tex, true) !== 'refused');
    assert.equal(drawn.length, formulas.length - 4);
  });

  it('accepts color names without effect', () => {
    const tree = outcome(lean, String.raw`\color{red} x \textcolor{blue}{y}`, false);
    assert.notEqual(tree, 'refused');
    assert.doesNotMatch(JSON.stringify(tree), /red|blue|#/);
  });

  it('rejects a formula that would use up all memory', () => {
    const nested = (name: string, times: number): string =>
      `${`${name}{`.repeat(times)}x${'}{a}'.repeat(times)}`;
    for (const name of ['\\equilibriumRight', '\\equilibriumLeft'])
      assert.equal(outcome(lean, nested(name, 100), true), 'refused');
    const doubling = String.raw`\def\a#1{\b{#1#1}}\def\b#1{\a{#1#1}}\a{x}`;
    assert.equal(outcome(lean, doubling, true), 'refused');
    assert.equal(outcome(lean, String.raw`\def\a{\a\a}\a`, true), 'refused');
    assert.equal(outcome(lean, '{'.repeat(10_000), true), 'refused');
    assert.equal(outcome(lean, 'x'.repeat(100_000), true), 'refused');
  });
});

/** The elements of a formula, or a marker if it is rejected. */
function outcome(library: Library, tex: string, displayMode: boolean): unknown {
  try {
    return toMathML(library.__renderToMathMLTree(tex, { displayMode, throwOnError: true }));
  } catch {
    return 'refused';
  }
}
