import { build, type BuildOptions } from 'esbuild';
import { JSDOM } from 'jsdom';
import type { PageState } from '../../support/pages/pageState.ts';

/** A script of a page in one piece, to run in a test. */
export async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  return outputFiles[0]?.text ?? '';
}

let tabs: Promise<string> | undefined;

/** Opens a page of a tab as it is built for VS Code, with the test as its host. */
export async function openTab(kind: PageState['kind'], state?: unknown) {
  tabs ??= bundle({ entryPoints: ['src/webview/tabs.ts'] });
  const html = `<!doctype html><html><body><div id="root" data-page="${kind}"></div></body></html>`;
  const { window } = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true });
  const posted: unknown[] = [];
  const api = {
    state,
    postMessage: (message: unknown) => posted.push(message),
    getState: () => api.state,
    setState: (next: unknown) => (api.state = next),
  };
  Object.assign(window, { acquireVsCodeApi: () => api });
  window.eval(await tabs);
  const drawn = async (): Promise<void> => {
    for (let frame = 0; frame < 3; frame++)
      await new Promise((resolve) => window.requestAnimationFrame(resolve));
  };
  return {
    window,
    api,
    posted,
    drawn,
    all: (selector: string) => [...window.document.querySelectorAll<HTMLElement>(selector)],
    post: async (...messages: PageState['messages']): Promise<void> => {
      for (const data of messages)
        window.dispatchEvent(new window.MessageEvent('message', { data }));
      await drawn();
    },
  };
}
