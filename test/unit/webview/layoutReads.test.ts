import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { turnStart } from '../../support/turns.ts';
import { PanelPage } from './panel.ts';

/** Properties and methods that make a browser compute the layout. */
const properties = ['clientHeight', 'clientWidth', 'scrollHeight', 'scrollTop', 'scrollWidth'];
const htmlElementProperties = ['offsetHeight', 'offsetTop', 'offsetWidth'];
const methods = ['getBoundingClientRect', 'getClientRects'];

/**
 * Counts layout reads from now on. Reads in resize observers are missing, since jsdom has no sizes.
 */
function countLayoutReads({ window }: PanelPage): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const { prototype } = window.Element;
  const targets = [
    ...properties.map((name) => [prototype, name] as const),
    ...htmlElementProperties.map((name) => [window.HTMLElement.prototype, name] as const),
  ];
  for (const [target, name] of targets) {
    const property = Object.getOwnPropertyDescriptor(target, name);
    assert.ok(property?.get !== undefined, name);
    Object.defineProperty(target, name, {
      ...property,
      get(): unknown {
        count(name);
        const value: unknown = property.get?.call(this);
        return value;
      },
    });
  }
  for (const name of methods) {
    const method: unknown = Reflect.get(prototype, name);
    assert.ok(typeof method === 'function');
    Reflect.set(prototype, name, function (this: unknown): unknown {
      count(name);
      const value: unknown = Reflect.apply(method, this, []);
      return value;
    });
  }
  const { getComputedStyle } = window;
  window.getComputedStyle = (element, pseudo) => {
    count('getComputedStyle');
    return getComputedStyle.call(window, element, pseudo);
  };
  return counts;
}

describe('the panel, while a reply streams', () => {
  it('reads no layout for a delta, which would force a reflow', async () => {
    const page = await PanelPage.open();
    const delta = (at: number): ConversationEvent => ({ type: 'text-delta', text: 'word ', at });
    await page.play(turnStart(), delta(2));
    const counts = countLayoutReads(page);
    for (let at = 3; at < 23; at++) await page.play(delta(at));
    // A slow machine may render the last deltas in the next frame.
    await page.until(() => page.element('.answer').textContent.trim().split(' ').length === 21);
    assert.deepEqual(Object.fromEntries(counts), {});
  });

  it('would be caught reading any property of the layout', async () => {
    const page = await PanelPage.open();
    const counts = countLayoutReads(page);
    const log = page.element('[role=log]');
    for (const name of [...properties, ...htmlElementProperties]) Reflect.get(log, name);
    log.getBoundingClientRect();
    log.getClientRects();
    page.window.getComputedStyle(log);
    const names = [...properties, ...htmlElementProperties, ...methods, 'getComputedStyle'];
    assert.deepEqual(
      [...counts],
      names.map((name) => [name, 1]),
    );
  });
});
