import assert from 'node:assert/strict';
import { JSDOM, type DOMWindow } from 'jsdom';
import { Emitter } from '../../../src/core/support/event.ts';
import { requestPageCall } from '../../../src/protocol/requestMessages.ts';
import { usageCall } from '../../../src/protocol/usageMessages.ts';
import { ManualClock } from '../../support/manualClock.ts';
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
  ask(name: string): Promise<unknown>;
  warning(): Promise<string | undefined>;
}

/** Opens a page in a tab, whose requests the handler answers. */
async function open(
  samples: Readonly<Record<string, unknown>>,
  calls: typeof usageCall | typeof requestPageCall,
  handler: (name: string) => unknown,
): Promise<TabRig> {
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
  const handlers: readonly (readonly [string, unknown])[] = Object.keys(samples).map(
    (name) => [name, () => handler(name)] as const,
  );
  const tab: unknown = Reflect.construct(PageTab, [
    {
      calls,
      handlers: Object.fromEntries(handlers),
      onDidChange: () => nothing,
      read: () => Promise.resolve('read'),
      host: {
        clock: new ManualClock(0),
        openPage: () => port,
        refusal: String,
        onError: String,
      },
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
    async ask(name) {
      const result: unknown = await Reflect.apply(ask, undefined, [name, samples[name]]);
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
  for (const [page, name, parameters, calls] of [
    ['usage', 'show', { range: 'month' }, usageCall],
    ['request', 'choose', { parts: ['a'], choice: 'pinned' }, requestPageCall],
  ] as const)
    it(`shows the error of its handler in the page: ${page}`, async () => {
      let fails = true;
      const rig = await open({ [name]: parameters }, calls, (handled) => {
        if (fails) throw new Error(`${handled} failed`);
        return 'done';
      });
      assert.equal(await rig.ask(name), undefined);
      assert.equal(await rig.warning(), `Error: ${name} failed`);
      fails = false;
      assert.equal(await rig.ask(name), 'done');
      assert.equal(await rig.warning(), undefined);
    });

  it('shows that parameters are not valid', async () => {
    const rig = await open({ 'open-chat': { id: '../a' } }, usageCall, () => 'done');
    assert.equal(await rig.ask('open-chat'), undefined);
    assert.match((await rig.warning()) ?? '', /invalid/i);
  });
});
