/**
 * Labels of the pages in each language, in a side bar of 220 px. None is cut off without a title,
 * overflows, or is more than 1.6 times as wide as its container or the English label, whichever is
 * wider.
 */
import assert from 'node:assert/strict';
import { PageBrowser, type BuiltPage } from '../../support/pages/builtPage.ts';
import type { PageTranslation } from '../../support/pages/pageServer.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import type { PageState } from '../../support/pages/pageState.ts';
import type { LabelWidth } from '../../support/pages/seen/labels.ts';
import { tabStates } from '../../support/pages/tabStates.ts';
import { languages, translated } from '../../support/translations.ts';

const size = { width: 220, height: 800 };
const most = 1.6;

/** States in which the texts are Aside's own. */
const names =
  'empty disconnected notices read-only retrying error cut approval paused options find usage';
const states: readonly PageState[] = [...chatStates, ...tabStates].filter(
  ({ name }) =>
    names.split(' ').some((word) => name.startsWith(word)) ||
    /queue|editing|restored|budget|changed|next request/.test(name),
);

describe('labels in a narrow side bar', () => {
  let browser: PageBrowser;
  let inEnglish: readonly (readonly LabelWidth[])[];

  before(async () => {
    browser = await PageBrowser.launch();
    await using page = await browser.open(size);
    inEnglish = await labelsOf(page);
    assert.ok(states.length >= 15, states.map(({ name }) => name).join(', '));
    assert.ok(inEnglish.flat().length > 150, `${inEnglish.flat().length} labels`);
  });

  after(() => browser[Symbol.asyncDispose]());

  for (const language of languages)
    it(`fit in ${language}`, async () => {
      const { messages } = translated(language);
      await using page = await browser.open(size, { language, messages });
      const labels = await labelsOf(page);
      assert.deepEqual(tooWide(labels, inEnglish), []);
    });

  it('detects labels that are too wide', async () => {
    const label = 'Try Again';
    const long: PageTranslation = { language: 'de', messages: { [label]: `${label} `.repeat(8) } };
    await using page = await browser.open(size, long);
    const at = states.findIndex(({ name }) => name === 'cut');
    const labels = await labelsOf(page, states.slice(at, at + 1));
    assert.match(tooWide(labels, inEnglish.slice(at)).join('\n'), /Try Again Try Again/);
  });
});

/** Labels of each state. Fails if a label is cut off. */
async function labelsOf(
  page: BuiltPage,
  pageStates = states,
): Promise<readonly (readonly LabelWidth[])[]> {
  const all: (readonly LabelWidth[])[] = [];
  for (const state of pageStates) {
    await page.show(state);
    assert.deepEqual(await page.seen('withoutRoom'), [], state.name);
    all.push(await page.seen('labelWidths'));
  }
  return all;
}

function tooWide(
  labels: readonly (readonly LabelWidth[])[],
  inEnglish: readonly (readonly LabelWidth[])[],
): readonly string[] {
  return labels.flatMap((translated, at) => {
    const english = inEnglish[at] ?? [];
    assert.deepEqual(
      translated.map(({ name }) => name),
      english.map(({ name }) => name),
    );
    return translated
      .filter(
        ({ needed, room }, index) => needed > most * Math.max(room, english[index]?.needed ?? 0),
      )
      .map(({ name, text, needed, room }) => `${name} “${text}”: ${needed} of ${room} px`);
  });
}
