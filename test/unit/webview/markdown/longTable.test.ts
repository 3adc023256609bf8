import assert from 'node:assert/strict';
import { openPage } from '../page.ts';
import { each, renderStreamed } from './rendering.ts';

openPage();
const head = '| name | value |\n|---|--:|\n';

function rows(count: number): string {
  return Array.from({ length: count }, (_, index) => `| row ${index} | ${index} |\n`).join('');
}

describe('The rows of a table', () => {
  it('keep their order and their text', () => {
    const cells = renderStreamed(head + rows(60), each(5)).querySelectorAll('td:first-child');
    assert.deepEqual(
      Array.from(cells, ({ textContent }) => textContent),
      Array.from({ length: 60 }, (_, index) => `row ${index}`),
    );
  });
});

describe('The later rows of a long table', () => {
  let measured: Element[] = [];
  let fire: () => void = () => undefined;

  beforeEach(() => {
    measured = [];
    class Observer {
      constructor(listener: () => void) {
        fire = listener;
      }
      observe(element: Element): void {
        measured.push(element);
      }
    }
    Object.assign(globalThis, { ResizeObserver: Observer });
  });

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ResizeObserver');
  });

  it('have the column widths of the first ones, also after the panel was widened', () => {
    const page = renderStreamed(head + rows(60), each(50));
    assert.deepEqual(
      measured.map(({ textContent }) => textContent),
      ['name', 'value'],
    );
    const table = page.querySelector('table');
    for (const [first, second] of [
      [30, 40],
      [50, 70],
    ] as const) {
      const widths = [first, second];
      for (const cell of measured)
        Object.assign(cell, { getBoundingClientRect: () => ({ width: widths.shift() }) });
      fire();
      assert.equal(table?.style.getPropertyValue('--columns'), `${first}px ${second}px`);
      assert.equal(table.style.getPropertyValue('--width'), `${first + second}px`);
    }
  });

  it('keep them when a later link definition renders the table again', () => {
    const text = `${head}| [x] | 1 |\n${rows(60)}\n[x]: https://e.org/\n`;
    let isMeasured = false;
    const page = renderStreamed(text, each(50), () => {
      if (measured.length > 0 && !isMeasured) fire();
      isMeasured = measured.length > 0;
    });
    assert.equal(page.querySelector('td a')?.getAttribute('href'), 'https://e.org/');
    assert.notEqual(page.querySelector('table')?.style.getPropertyValue('--columns'), '');
  });
});
