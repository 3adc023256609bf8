import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { modelSaying } from '../support/modelSaying.ts';
import { themes, type ThemeKind } from '../support/vscode/themes.ts';
import { connect } from './support/connect.ts';
import { copiedBy } from './support/copiedBy.ts';
import { journey, type Journey } from './support/journey.ts';
import { withSidebarWidth } from './support/withSidebarWidth.ts';
import { withoutPreview } from './support/reasons.ts';

const script =
  modelSaying(String.raw`Let $x^2 + y_1$ be at most $\frac{a}{b}$. It costs $5 or $6, in $HOME.

$$
\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}
$$

\[
A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}, \quad \sum_{i=1}^n i = \frac{n(n+1)}{2}
\]

$$\begin{aligned} a &= b + c \\ &= d + \frac{e}{f} \end{aligned}$$

$$f(x) = \begin{cases} x^2 & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}$$

- Accents $\hat{x} + \vec{v} + \bar{y}$, and the long \(a_1 + a_2 + a_3 + a_4 + a_5 + a_6 = \sqrt[3]{b + c}\) in a line
- $\unknown{x}$ stays as it is

$$\mathrm{Attention}(Q,K,V) = \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V + \alpha\beta\gamma\delta\epsilon\zeta + x_1 + x_2$$
`);

const kinds: readonly ThemeKind[] = ['light', 'dark', 'high-contrast'];

describe('journey: formulas', () => {
  journey('formulas in a reply', { service: { script } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('How does it work?');
    await panel.settled();
    const drawn = panel.frame.locator('.formula.drawn');
    await drawn.nth(8).waitFor();
    assert.equal(await drawn.count(), 9);
    assert.deepEqual(await panel.frame.locator('.formula.as-source').allTextContents(), [
      String.raw`$\unknown{x}$`,
    ]);
    for (const kind of kinds) {
      await workbench.setTheme(kind);
      await panel.frame.locator(`body.${themes[kind].body}`).waitFor();
      await drawn.first().scrollIntoViewIfNeeded();
      await picture(kind);
    }
    const copied = await copiedBy(workbench.page, () =>
      copyAll(panel.frame.locator('.prose p').first()),
    );
    assert.equal(
      copied.trim(),
      String.raw`Let $x^2 + y_1$ be at most $\frac{a}{b}$. It costs $5 or $6, in $HOME.`,
    );
    await withSidebarWidth(workbench.page, 220, async () => {
      await drawn.nth(7).scrollIntoViewIfNeeded();
      await picture('narrow');
      const pane = await workbench.page.locator('.part.sidebar').boundingBox();
      for (const formula of await drawn.all()) {
        const box = await formula.boundingBox();
        assert.ok(box && pane && box.x + box.width <= pane.x + pane.width, 'A formula is cut off.');
      }
      await scrollsByKeyboard(walk, drawn.last());
    });
  });
});

const diagram = modelSaying(
  'Like this:\n\n```mermaid\ngraph TD\n  A[Ask] --> B{Is it so?}\n  B -->|Yes| C[Done]\n```\n',
);

describe('journey: diagrams', () => {
  journey(
    'a diagram of a reply',
    { service: { script: diagram }, not: withoutPreview },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      await connect(walk);
      await panel.ask('Show me.');
      await panel.settled();
      const preview = panel.menuItem('Open Preview');
      await panel.button('More Code Actions…').click();
      await preview.waitFor();
      await picture('1-offered');
      await preview.click();
      await workbench.page.getByRole('tab', { name: /Preview Diagram/ }).waitFor();
      await drawnIn(workbench.page);
      await picture('2-preview');
    },
  );
});

async function drawnIn(page: Page): Promise<void> {
  const preview = page
    .frameLocator('iframe.webview[src*="markdown-language-features"]')
    .frameLocator('#active-frame');
  await preview.locator('svg').getByText('Is it so?').first().waitFor();
}

async function copyAll(element: Locator): Promise<void> {
  await element.click({ position: { x: 4, y: 4 } });
  await element.evaluate((node) => node.ownerDocument.getSelection()?.selectAllChildren(node));
  await element.page().keyboard.press('ControlOrMeta+C');
}

async function scrollsByKeyboard({ workbench }: Journey, formula: Locator): Promise<void> {
  await formula.focus();
  await workbench.page.keyboard.press('ArrowRight');
  await formula.evaluate(async (node) => {
    while (node.scrollLeft === 0) await new Promise(requestAnimationFrame);
  });
}
