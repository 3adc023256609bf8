import assert from 'node:assert/strict';
import { JSDOM, type DOMWindow } from 'jsdom';
import { Emitter } from '../../../src/core/support/event.ts';
import { usageCall } from '../../../src/protocol/usageMessages.ts';
import { projectFolder } from '../../support/paths.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';
import { bundle } from './bundle.ts';

const { PageTab } = await withFakeVsCode(
  `export const Uri = { joinPath: () => undefined };`,
  () => import('../../../src/host/platform/pageTab.ts'),
);

/** A page that does nothing but send the requests of the test. */
const script = bundle({
  stdin: {
    contents: `
      import { TabPage } from './tabPage.tsx';
      const page = new TabPage((state) => { globalThis.state = state; });
      page.render(() => undefined);
      globalThis.ask = (name, parameters) => page.ask(name, parameters);`,
    resolveDir: `${projectFolder}/src/webview/pages`,
  },
});

interface TabRig {
  readonly window: DOMWindow;
  ask(): Promise<unknown>;
  warning(): Promise<string | undefined>;
}

/** Opens a page in a tab, whose request with these parameters the handler answers. */
async function open(name: string, parameters: unknown, handler: () => unknown): Promise<TabRig> {
  const { window } = new JSDOM('<!doctype html><html><body><div id="root"></div></body></html>', {
    runScripts: 'outside-only',
    pretendToBeVisual: true,
  });
  const fromPage = new Emitter<unknown>();
  const nothing = { dispose: () => undefined };
  const panel: unknown = {
    visible: true,
    onDidChangeViewState: () => nothing,
    onDidDispose: () => nothing,
    webview: {},
  };
  const port = {
    post: (data: unknown) =>
      queueMicrotask(() => window.dispatchEvent(new window.MessageEvent('message', { data }))),
    listen: fromPage.event,
  };
  const tab: unknown = Reflect.construct(PageTab, [
    {
      calls: usageCall,
      handlers: { [name]: handler },
      onDidChange: () => nothing,
      read: () => Promise.resolve('read'),
      window: { context: {}, errors: { refusal: String }, log: { error: String } },
      openPage: () => port,
    },
  ]);
  assert.ok(tab instanceof PageTab);
  Reflect.apply(PageTab.prototype.restore.bind(tab), tab, [panel]);
  const api = { postMessage: (message: unknown) => fromPage.fire(message) };
  Object.assign(window, { acquireVsCodeApi: () => api });
  window.eval(await script);
  const ask: unknown = Reflect.get(window, 'ask');
  assert.ok(typeof ask === 'function');
  return {
    window,
    async ask() {
      const result: unknown = await Reflect.apply(ask, undefined, [name, parameters]);
      return result;
    },
    async warning() {
      for (let frame = 0; frame < 3; frame++)
        await new Promise((resolve) => window.requestAnimationFrame(resolve));
      return window.document.querySelector('[role=alert]')?.textContent;
    },
  };
}

describe('a request of a page in a tab', () => {
  it('shows the error of its handler in the page', async () => {
    let fails = true;
    const rig = await open('show', { range: 'month' }, () => {
      if (fails) throw new Error('It failed');
      return 'done';
    });
    assert.equal(await rig.ask(), undefined);
    assert.equal(await rig.warning(), 'Error: It failed');
    fails = false;
    assert.equal(await rig.ask(), 'done');
    assert.equal(await rig.warning(), undefined);
  });

  it('shows that parameters are not valid', async () => {
    const rig = await open('open-chat', { id: '../a' }, () => 'done');
    assert.equal(await rig.ask(), undefined);
    assert.match((await rig.warning()) ?? '', /invalid/i);
  });
});
