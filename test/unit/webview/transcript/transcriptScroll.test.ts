import { signal } from '@preact/signals';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { viewBatchLimit } from '../../../../src/core/conversation/window.ts';
import {
  maxHeld,
  planWindow,
  StickyScroll,
} from '../../../../src/webview/transcript/transcriptScroll.ts';
import { openPage } from '../page.ts';

describe('StickyScroll', () => {
  const { document, Event } = openPage();

  /** A scroller of 100 px that clamps positions as a browser does. */
  function open(hasEnd = true) {
    const scroller = document.createElement('div');
    let top = 0;
    let height = 1000;
    Object.defineProperties(scroller, {
      clientHeight: { get: () => 100 },
      scrollHeight: { get: () => height },
      scrollTop: {
        get: () => top,
        set: (value: number) => (top = Math.max(0, Math.min(value, height - 100))),
      },
    });
    let resized = (): void => undefined;
    Object.defineProperty(globalThis, 'ResizeObserver', {
      configurable: true,
      value: class {
        constructor(callback: () => void) {
          resized = callback;
        }
        observe = (): void => undefined;
        disconnect = (): void => undefined;
      },
    });
    const scroll = new StickyScroll(scroller, scroller, signal(hasEnd), () => undefined);
    return {
      scroll,
      atEnd: () => scroll.atEnd,
      top: () => top,
      resize(to: number) {
        height = to;
        scroller.scrollTop = top;
        resized();
      },
      read(to: number) {
        scroller.scrollTop = to;
        scroller.dispatchEvent(new Event('scroll'));
      },
    };
  }

  it('follows the end while scrolled to it', () => {
    const view = open();
    view.scroll.toEnd();
    view.resize(1500);
    assert.equal(view.top(), 1400);
    assert.equal(view.atEnd(), true);
  });

  it('does not scroll after the smallest step up', () => {
    const view = open();
    view.scroll.toEnd();
    view.read(895);
    view.resize(1500);
    assert.equal(view.top(), 895);
    assert.equal(view.atEnd(), false);
  });

  it('follows the end if it comes into view without a scroll', () => {
    const view = open();
    view.scroll.toEnd();
    view.read(300);
    view.scroll.noticeEnd();
    assert.equal(view.atEnd(), false);
    view.resize(400);
    view.scroll.noticeEnd();
    assert.equal(view.atEnd(), true);
    const away = open(false);
    away.read(900);
    away.scroll.noticeEnd();
    assert.equal(away.atEnd(), false);
  });

  it('follows again once scrolled back to the end, or on request', () => {
    const view = open();
    view.scroll.toEnd();
    view.read(300);
    view.read(900);
    view.resize(1200);
    assert.equal(view.top(), 1100);
    view.read(0);
    view.scroll.toEnd();
    assert.equal(view.top(), 1100);
    assert.equal(view.atEnd(), true);
  });

  it('still follows after the content shrank', () => {
    const view = open();
    view.scroll.toEnd();
    view.resize(600);
    view.read(500);
    view.resize(900);
    assert.equal(view.top(), 800);
  });

  it('stays where it was moved to', () => {
    const view = open();
    view.scroll.toEnd();
    view.scroll.moveBy(-650);
    assert.equal(view.top(), 250);
    view.resize(1500);
    assert.equal(view.top(), 250);
  });

  it('does not follow the end of a window that is not the end of the chat', () => {
    const view = open(false);
    view.read(900);
    view.resize(1500);
    assert.equal(view.top(), 900);
    assert.equal(view.atEnd(), false);
  });

  it('still follows after content above the view was removed', () => {
    const view = open();
    view.scroll.toEnd();
    view.resize(700);
    view.scroll.shiftBy(0);
    view.read(600);
    view.resize(900);
    assert.equal(view.top(), 800);
  });
});

const height = 800;

interface Size {
  readonly height: number;
  readonly length: number;
}

/**
 * A model of the transcript: turns of these sizes, a range of them rendered, and a scroll position.
 */
class Model {
  readonly #sizes: readonly Size[];
  first: number;
  last: number;
  /** Scroll position in pixels, from the first rendered turn. */
  top = 0;

  constructor(sizes: readonly Size[], first: number, last: number) {
    this.#sizes = sizes;
    this.first = first;
    this.last = last;
  }

  get drawn(): readonly Size[] {
    return this.#sizes.slice(this.first, this.last);
  }

  get above(): number {
    return this.top;
  }

  get below(): number {
    return heightOf(this.drawn) - this.top - height;
  }

  get length(): number {
    return this.drawn.reduce((sum, size) => sum + size.length, 0);
  }

  scrollBy(pixels: number): void {
    const most = Math.max(0, heightOf(this.drawn) - height);
    this.top = Math.min(most, Math.max(0, this.top + pixels));
  }

  /** Carries out plans until there is none; returns their number. */
  settle(): number {
    for (let steps = 0; ; steps++) {
      assert.ok(steps < 500, 'It never ends.');
      const plan = planWindow({
        turns: this.#boxes(),
        hasStart: this.first === 0,
        hasEnd: this.last === this.#sizes.length,
        height,
      });
      if (plan.front + plan.back + plan.ask.length === 0) return steps;
      this.top -= heightOf(this.drawn.slice(0, plan.front));
      this.first += plan.front;
      this.last -= plan.back;
      if (plan.ask.includes('after')) this.last = this.#grow(this.last, 1);
      if (plan.ask.includes('before')) {
        const first = this.#grow(this.first, -1);
        this.top += heightOf(this.#sizes.slice(first, this.first));
        this.first = first;
      }
    }
  }

  #grow(from: number, by: 1 | -1): number {
    let length = 0;
    let index = from;
    for (let count = 0; count < viewBatchLimit.turns; count++) {
      const size = this.#sizes[by > 0 ? index : index - 1];
      if (size === undefined) break;
      length += size.length;
      if (count > 0 && length > viewBatchLimit.length) break;
      index += by;
    }
    return index;
  }

  #boxes() {
    let edge = -this.top;
    return this.drawn.map((size) => {
      const top = edge;
      edge += size.height;
      return { top, bottom: edge, length: size.length };
    });
  }
}

function heightOf(sizes: readonly Size[]): number {
  return sizes.reduce((sum, size) => sum + size.height, 0);
}

describe('the plan for the window', () => {
  const anySize = fc.record({
    height: fc.oneof(fc.integer({ min: 40, max: 200 }), fc.integer({ min: 500, max: 9000 })),
    length: fc.oneof(fc.nat(500), fc.nat(9000), fc.nat(1_500_000)),
  });

  it('keeps more than a screen ahead, and converges', () => {
    const steps = fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(anySize, { minLength: 1, maxLength: 400 }), steps, (sizes, moves) => {
        const model = new Model(sizes, Math.max(0, sizes.length - 3), sizes.length);
        model.scrollBy(Infinity);
        model.settle();
        for (const move of moves) {
          model.scrollBy(move);
          model.settle();
          assert.ok(model.first === 0 || model.above >= height);
          assert.ok(model.last === sizes.length || model.below >= height);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a bounded part of a chat that is scrolled from its end to its start and back', () => {
    const sizes = Array.from({ length: 5000 }, () => ({ height: 1200, length: 4000 }));
    const model = new Model(sizes, 4996, 5000);
    model.scrollBy(Infinity);
    let requestCount = 0;
    for (const page of [-700, 700])
      while (page < 0 ? model.first > 0 || model.top > 0 : model.last < 5000 || model.below > 0) {
        model.scrollBy(page);
        requestCount += model.settle();
        assert.ok(model.drawn.length <= maxHeld.turns + viewBatchLimit.turns);
        assert.ok(model.length <= maxHeld.length);
      }
    // Each turn is requested once in each direction.
    assert.ok(requestCount < 4 * (5000 / (viewBatchLimit.length / 4000)), `${requestCount} steps`);
  });

  it('does nothing while the view is hidden', () => {
    const turns = [{ top: 0, bottom: 0, length: 1 }];
    const plan = planWindow({ turns, hasStart: false, hasEnd: false, height: 0 });
    assert.deepEqual(plan, { front: 0, back: 0, ask: [] });
  });
});
