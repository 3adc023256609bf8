import { JSDOM, type DOMWindow } from 'jsdom';

let page: DOMWindow | undefined;

/**
 * One window for all code of the view in this process, with those globals that this code reads
 * and Node does not have.
 */
export function openPage(): DOMWindow {
  page ??= createPage();
  return page;
}

function createPage(): DOMWindow {
  const { window } = new JSDOM('<!doctype html><body></body>', { pretendToBeVisual: true });
  // jsdom has no layout, so nothing is out of view.
  window.Element.prototype.scrollIntoView = () => undefined;
  const globals = {
    Element: window.Element,
    requestAnimationFrame: window.requestAnimationFrame.bind(window),
    cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return window;
}
