import assert from 'node:assert/strict';
import { PanelPage } from './panel.ts';

/** The static field of the page, in which the person has typed before the script ran. */
const field = (text: string): string =>
  `<div class="panel"><textarea class="message-field" autofocus>${text}</textarea></div>`;

describe('the field of the initial HTML', () => {
  it('is replaced by the composer, which adopts its text', async () => {
    const page = await PanelPage.open({}, field('Why is'));
    assert.equal(Reflect.get(page.element('textarea'), 'value'), 'Why is');
    assert.equal(page.element('textarea').getAttribute('aria-label'), 'Message');
    assert.deepEqual(page.draft, ['chat', 'Why is']);
  });

  it('is appended to a restored draft', async () => {
    const page = await PanelPage.open({ draft: 'Kept. ' }, field('Typed.'));
    assert.equal(Reflect.get(page.element('textarea'), 'value'), 'Kept. Typed.');
  });

  it('has the list for a word that was started before the list was loaded', async () => {
    const page = await PanelPage.open({}, field('see @te'));
    await page.until(() => page.requests().length > 0);
    assert.deepEqual(page.requests(), [
      { name: 'complete', parameters: { trigger: '@', query: 'te' } },
    ]);
  });

  it('does not change a restored draft if it is empty', async () => {
    const page = await PanelPage.open({ draft: 'Kept.' }, field(''));
    assert.equal(Reflect.get(page.element('textarea'), 'value'), 'Kept.');
    assert.equal(page.draft, undefined);
  });
});
