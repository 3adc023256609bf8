import assert from 'node:assert/strict';
import { PageBrowser, type BuiltPage } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { rightToLeft } from '../../support/pages/longReply.ts';
import { themeNamed } from '../../support/pages/pageTheme.ts';
import { modelSaying } from '../../support/modelSaying.ts';
import { connect } from '../support/connect.ts';
import { journey } from '../support/journey.ts';
import { withSidebarWidth } from '../support/withSidebarWidth.ts';

const state = chatStates.find(({ name }) => name === 'right to left') ?? assert.fail();

describe('directions of text', () => {
  let browser: PageBrowser;
  let page: BuiltPage;

  before(async () => {
    browser = await PageBrowser.launch();
    page = await browser.open({ width: 360, height: 1200 });
    await page.show(state);
    await page.wear(themeNamed('Dark Modern'));
  });

  after(() => browser[Symbol.asyncDispose]());

  it('each block begins at the side of its first letter', async () => {
    const blocks = '.prose :is(p, li, h2, th, td):not(:has(> p))';
    const sides = await page.page.locator(blocks).evaluateAll(sidesOf);
    const wrong = sides.filter(
      ({ text, side }) => side !== (/^[א-ي]/.test(text) ? 'right' : 'left'),
    );
    assert.deepEqual(
      wrong.filter(({ text }) => !/^\d/.test(text)),
      [],
    );
    assert.ok(sides.some(({ side }) => side === 'left'));
    assert.ok(sides.length > 20);
  });

  it('markers, checkboxes and the bar of a quote are at that side, too', async () => {
    const items = await page.page.locator('.prose li').evaluateAll((all) =>
      all.map((item) => {
        const { direction, marginRight } = getComputedStyle(item);
        return { isRight: /^[א-ي]/.test(item.textContent.trim()), direction, marginRight };
      }),
    );
    for (const { isRight, direction, marginRight } of items)
      assert.deepEqual([direction, marginRight], isRight ? ['rtl', '22px'] : ['ltr', '0px']);
    const boxes = await page.page.locator('.prose .task').evaluateAll((all) =>
      all.map((item) => {
        const box = item.querySelector('input')?.getBoundingClientRect();
        return box !== undefined && box.left > item.getBoundingClientRect().right - 20;
      }),
    );
    assert.deepEqual(boxes, [true, true]);
    const bar = page.page.locator('.prose blockquote');
    assert.equal(await bar.evaluate((node) => getComputedStyle(node).borderRightWidth), '3px');
    assert.equal(await bar.evaluate((node) => getComputedStyle(node).borderLeftWidth), '0px');
  });

  it('a table has its first column at that side, and code is from left to right', async () => {
    const heads = page.page.locator('.prose th');
    const [first, , last] = await heads.evaluateAll((all) =>
      all.map((head) => head.getBoundingClientRect().left),
    );
    assert.ok(first !== undefined && last !== undefined && first > last);
    const code = page.page.locator('.prose pre code');
    assert.equal(await code.evaluate((node) => getComputedStyle(node).direction), 'ltr');
    const line = await code.evaluateAll(sidesOf);
    assert.equal(line[0]?.side, 'left');
  });

  it('each line of a message, and what is typed, has its own direction', async () => {
    const messages = page.page.locator('.question-text');
    const rects = await messages.nth(1).evaluate((message) => {
      const text = message.firstChild ?? message;
      const length = message.textContent.indexOf('\n');
      return [0, length + 1].map((at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { left: characterEdge } = range.getBoundingClientRect();
        const { left: start, width } = message.getBoundingClientRect();
        return characterEdge - start > width / 2 ? 'right' : 'left';
      });
    });
    assert.deepEqual(rects, ['right', 'left']);
    const field = page.page.locator('.message-field');
    assert.equal(await field.evaluate((node) => getComputedStyle(node).unicodeBidi), 'plaintext');
  });

  const options = {
    size: { width: 700, height: 450 },
    service: { script: modelSaying(rightToLeft) },
  };
  journey('from right to left, at 200 percent', options, async (walk) => {
    const { panel, workbench, picture } = walk;
    await connect(walk);
    await withSidebarWidth(workbench.page, 320, async () => {
      await panel.ask('لماذا المجموع خاطئ في src/app.ts؟');
      await panel.settled();
      await panel.frame.locator('.prose td').last().waitFor();
      await picture('end');
      await panel.scroller.evaluate((scroller) => scroller.scrollTo(0, 0));
      await picture('begin');
      await panel.button('Configure').click();
      const form = panel.frame.getByRole('dialog', { name: 'Chat Options' });
      const box = await form.boundingBox();
      const part = await workbench.page.locator('.part.sidebar').boundingBox();
      assert.ok(box !== null && part !== null && box.y >= part.y && box.x >= part.x);
      await form.getByRole('checkbox', { name: 'Reply in JSON' }).scrollIntoViewIfNeeded();
      await picture('options');
    });
  });
});

/** Start of each element's text, and the side on which its first letter is. */
function sidesOf(elements: Element[]): { text: string; side: 'left' | 'right' }[] {
  return elements.map((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node !== null && node.textContent?.trim() === '') node = walker.nextNode();
    const range = document.createRange();
    if (node !== null) {
      range.setStart(node, 0);
      range.setEnd(node, 1);
    }
    const letter = range.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    const isRight = box.right - letter.right < letter.left - box.left;
    return { text: element.textContent.trim().slice(0, 12), side: isRight ? 'right' : 'left' };
  });
}
