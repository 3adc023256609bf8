import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type {
  RequestHostMessage,
  RequestOverview,
  RequestViewMessage,
} from '../../protocol/requestMessages.ts';
import { keepFocusIn } from '../usage/pageFocus.ts';
import { RequestPage } from './requestPage.tsx';
import type { PartText } from './requestPartList.tsx';
import { partKeys } from './requestWords.ts';

declare function acquireVsCodeApi(): { postMessage(message: RequestViewMessage): void };

// Set before the first render, which reads the translations.
const translations = document.getElementById('l10n')?.textContent;
if (translations !== undefined && translations !== '') l10n.config({ contents: translations });

const api = acquireVsCodeApi();
const post = (message: RequestViewMessage): void => api.postMessage(message);
const overview = signal<RequestOverview | undefined>(undefined);
const reason = signal<string | undefined>(undefined);
/** Texts of the unfolded parts by key. */
const texts = signal<ReadonlyMap<string, PartText | undefined>>(new Map());

window.addEventListener('message', ({ data }: MessageEvent<RequestHostMessage>) => {
  if (data.type === 'unavailable') reason.value = data.reason;
  else if (data.type === 'text') showText(data.part, data);
  else {
    reason.value = undefined;
    overview.value = data.request;
    const keys = partKeys(data.request.parts);
    for (const [index, key] of keys.entries())
      if (texts.value.has(key)) post({ type: 'read', part: index });
  }
});

function showText(part: number, text: PartText): void {
  const key = partKeys(overview.value?.parts ?? [])[part];
  // The part may have been folded in the meantime.
  if (key === undefined || !texts.value.has(key)) return;
  texts.value = new Map([...texts.value, [key, text]]);
}

function toggle(key: string, part: number, isOpen: boolean): void {
  if (texts.value.has(key) === isOpen) return;
  const others = [...texts.value].filter(([other]) => other !== key);
  texts.value = new Map(isOpen ? [...others, [key, undefined]] : others);
  if (isOpen) post({ type: 'read', part });
}

function Page() {
  const request = overview.value;
  if (reason.value !== undefined)
    return (
      <p class="usage request-reason" role="status">
        {reason.value}
      </p>
    );
  return (
    request && <RequestPage request={request} texts={texts.value} post={post} toggle={toggle} />
  );
}
const root = document.getElementById('root') ?? document.body;
keepFocusIn(root);
render(<Page />, root);
post({ type: 'ready' });
