/**
 * Checks the main states of the pages without VS Code: contrast at WCAG 2 level AA in every theme
 * of VS Code, forced colors, space in zoomed windows, and reduced motion. axe-core checks the other
 * rules of WCAG 2.2, levels A and AA.
 */
import assert from 'node:assert/strict';
import { PageBrowser, type BuiltPage, type PageSize } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import type { PageState } from '../../support/pages/pageState.ts';
import { looksIn, themeNamed, type PagePlace } from '../../support/pages/pageTheme.ts';
import { tabStates } from '../../support/pages/tabStates.ts';
import { brokenRules } from './brokenRules.ts';

/** Size of a typical side bar. */
const size: PageSize = { width: 360, height: 800 };
/** CSS pixels: WCAG requires 320 by 256, and a side bar of 640 px at 400 % has 160. */
const smallSizes: readonly PageSize[] = [
  { width: 320, height: 256 },
  // The smallest that shows the name of the mode.
  { width: 281, height: 800 },
  { width: 220, height: 800 },
  { width: 160, height: 600 },
  { width: 160, height: 256 },
];
const placesOf: Readonly<Record<PageState['kind'], readonly PagePlace[]>> = {
  main: ['sideBar', 'panel', 'editor'],
  usage: ['editor'],
  request: ['editor'],
};

describe('visibility of the pages', () => {
  let browser: PageBrowser;
  let page: BuiltPage;

  before(async () => {
    browser = await PageBrowser.launch();
    page = await browser.open(size);
  });

  after(() => browser[Symbol.asyncDispose]());

  for (const state of [...chatStates, ...tabStates])
    describe(`${state.kind}: ${state.name}`, () => {
      before(async () => {
        await page.page.setViewportSize({ ...size });
        await page.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
        await page.show(state);
        await page.enabled();
      });

      it('has enough contrast in all themes, also on hover and with focus', () =>
        checkContrast(page, state));
      it('breaks no rule of WCAG 2.2 at levels A and AA', () => checkRules(page));
      it('respects reduced motion', () => checkMotion(page));
      it('is complete in forced colors', () => checkForcedColors(page));
      it('fits small windows', () => checkRoom(page));
    });

  it('detects low contrast, missing content, motion and overflow', async () => {
    await page.show(broken);
    await page.page.evaluate((style) => {
      const sheet = document.createElement('style');
      sheet.textContent = style;
      document.body.append(sheet);
    }, breakage);
    const { faint } = await page.seen('faintIn', looksIn(['sideBar']));
    for (const what of ['text of', 'icon of', 'border of', 'focus of'])
      assert.ok(
        faint.some(([name]) => name.startsWith(what)),
        what,
      );
    assert.notDeepEqual(await page.seen('moving'), []);
    const narrow = (await page.seen('withoutRoom')).join('\n');
    assert.match(narrow, /outside: div\.panel > div\.composer from/);
    assert.match(narrow, /cut off: div\.transcript > div\.scroller/);
    assert.ok((await page.seen('markBackgrounds')) > 0);
    await page.page.emulateMedia({ forcedColors: 'active' });
    assert.notDeepEqual(await page.seen('vanished'), []);
  });
});

const broken: PageState = chatStates.find(({ name }) => name === 'stopped') ?? assert.fail();
const breakage = `
  .answer *, .icon-button { color: rgb(128 128 128 / 30%) !important; }
  .composer-box { border-color: transparent !important; }
  button { outline-color: transparent !important; }
  .answer { width: 900px; background: red; transition: opacity 1s; }
  .composer { position: relative; top: 500px; }
`;

async function checkRules(page: BuiltPage): Promise<void> {
  await page.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
  assert.deepEqual(await brokenRules(page), []);
}

async function checkContrast(page: BuiltPage, { kind }: PageState): Promise<void> {
  await page.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
  const { count, faint } = await page.seen('faintIn', looksIn(placesOf[kind]));
  assert.ok(count > 10, `Only ${count} things are measured.`);
  assert.deepEqual(faint, []);
}

/** Through the system's preference, and through VS Code's setting. */
async function checkMotion(page: BuiltPage): Promise<void> {
  await page.page.emulateMedia({ reducedMotion: 'reduce' });
  assert.deepEqual(await page.seen('moving'), []);
  await page.page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.page.evaluate(() => document.body.classList.add('vscode-reduce-motion'));
  assert.deepEqual(await page.seen('moving'), []);
}

/** In a theme that separates elements by backgrounds instead of borders. */
async function checkForcedColors(page: BuiltPage): Promise<void> {
  await page.wear(themeNamed('Light Modern'));
  await page.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
  await page.seen('markBackgrounds');
  await page.page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  assert.deepEqual(await page.seen('vanished'), []);
  assert.deepEqual(await page.seen('faintNow'), []);
}

async function checkRoom(page: BuiltPage): Promise<void> {
  await page.page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
  for (const small of smallSizes) {
    await page.page.setViewportSize({ ...small });
    await page.settle();
    const problems = await page.seen('withoutRoom');
    assert.deepEqual(problems, [], `at ${small.width} by ${small.height}`);
  }
}
