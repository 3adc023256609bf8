import { signal } from '@preact/signals';
import { background } from '../../core/support/background.ts';
import type {
  PartText,
  RequestPageRequests,
  RequestPageResults,
  RequestPageState,
} from '../../protocol/requestMessages.ts';
import { TabPage } from '../usage/tabPage.tsx';
import { RequestPage } from './requestPage.tsx';
import { partKeys } from './requestWords.ts';

/** Shows the page of the tab with the next request. */
export function showRequest(): void {
  const state = signal<RequestPageState | undefined>(undefined);
  /** The texts of the parts that are unfolded, by their keys. */
  const texts = signal<ReadonlyMap<string, PartText | undefined>>(new Map());

  const page = new TabPage<RequestPageRequests, RequestPageResults, RequestPageState>((next) => {
    state.value = next;
    if ('unavailable' in next) return;
    for (const [index, key] of partKeys(next.parts).entries())
      if (texts.value.has(key)) background(read(key, index));
  });

  async function read(key: string, part: number): Promise<void> {
    const text = await page.ask('read', { part });
    // It may have been folded since.
    if (text !== undefined && texts.value.has(key))
      texts.value = new Map([...texts.value, [key, text]]);
  }

  function toggle(key: string, part: number, isOpen: boolean): void {
    if (texts.value.has(key) === isOpen) return;
    const others = [...texts.value].filter(([other]) => other !== key);
    texts.value = new Map(isOpen ? [...others, [key, undefined]] : others);
    if (isOpen) background(read(key, part));
  }

  page.render(() => {
    const request = state.value;
    if (request === undefined) return undefined;
    if ('unavailable' in request)
      return (
        <p class="usage request-reason" role="status">
          {request.unavailable}
        </p>
      );
    return <RequestPage request={request} texts={texts.value} post={page.post} toggle={toggle} />;
  });
  page.post('ready', {});
}
