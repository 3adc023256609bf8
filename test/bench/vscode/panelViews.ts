import type { Page } from 'playwright-core';
import { Workbench } from '../../support/vscode/workbench.ts';

/** Settings of a connected service. No request is sent before the first message. */
export const settings = {
  'aside.baseUrl': 'http://127.0.0.1:9/v1',
  'aside.model': 'bench/model',
};

/** Selector of the field of a complete panel. */
export const composer = 'textarea[aria-label="Message"]';

/** An extension with two views to compare with: a field, and a field that a script adds. */
export const bare = {
  name: 'bare',
  activationEvents: ['onStartupFinished'],
  contributes: {
    viewsContainers: {
      activitybar: [
        { id: 'bench', title: 'Bare', icon: 'none.svg' },
        { id: 'benchScript', title: 'Script', icon: 'none.svg' },
      ],
    },
    views: {
      bench: [{ type: 'webview', id: 'bench.bare', name: 'Bare', icon: 'none.svg' }],
      benchScript: [{ type: 'webview', id: 'bench.script', name: 'Script', icon: 'none.svg' }],
    },
  },
};

/** Opens a window and clicks the icon with this title. Returns the time of the click. */
export async function openView(page: Page, address: string, title: string): Promise<number> {
  await new Workbench(page, 'aside-chat.aside.aside.usage').open(address);
  const icon = page.locator(`.activitybar a[aria-label^="${title}"]`);
  await icon.waitFor();
  return icon.evaluate((element: HTMLElement) => {
    element.click();
    return performance.timeOrigin + performance.now();
  });
}
