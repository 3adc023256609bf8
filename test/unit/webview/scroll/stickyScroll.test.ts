import { signal } from '@preact/signals';
import assert from 'node:assert/strict';
import { StickyScroll } from '../../../../src/webview/scroll/transcriptScroll.ts';
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
