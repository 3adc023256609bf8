import { JSDOM, type DOMWindow } from 'jsdom';

let page: DOMWindow | undefined;

/** One jsdom window for all view code of this process, with the globals that Node lacks. */
export function openPage(): DOMWindow {
  page ??= createPage();
  return page;
}

function createPage(): DOMWindow {
  const { window } = new JSDOM('<!doctype html><body></body>', { pretendToBeVisual: true });
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
