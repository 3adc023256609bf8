import type { Locator, Page } from 'playwright-core';
import { Workbench } from '../../support/vscode/workbench.ts';
import type { Sample } from './sample.ts';

/** Settings of a connected service. No request is sent before the first message. */
export const settings = {
  'aside.baseUrl': 'http://127.0.0.1:9/v1',
  'aside.model': 'bench/model',
};

/** Selector of the field of a complete panel. */
export const composer = 'textarea[aria-label="Message"]';

/** An extension whose view has only a field. */
export const bare = viewSample('bare', 'Bare');

/** An extension whose view has only a script, as long as both of Aside's, that adds a field. */
export const scripted = viewSample('scripted', 'Script');

function viewSample(name: string, title: string): Sample {
  const container = `bench-${name}`;
  return {
    name,
    activationEvents: ['onStartupFinished'],
    contributes: {
      viewsContainers: { activitybar: [{ id: container, title, icon: 'none.svg' }] },
      views: {
        [container]: [{ type: 'webview', id: `bench.${name}`, name: title, icon: 'none.svg' }],
      },
    },
  };
}

/** Opens a window. Resolves with the icon that has this title. */
export async function openWindow(page: Page, address: string, title: string): Promise<Locator> {
  await new Workbench(page, 'aside-chat.aside.aside.usage').open(address);
  const icon = page.locator(`.activitybar a[aria-label^="${title}"]`);
  await icon.waitFor();
  return icon;
}

/** Clicks an icon. Resolves with the time of the click. */
export function clickIcon(icon: Locator): Promise<number> {
  return icon.evaluate((element: HTMLElement) => {
    element.click();
    return performance.timeOrigin + performance.now();
  });
}
