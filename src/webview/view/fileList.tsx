import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** What a line shows. */
  readonly children: (item: Item) => ComponentChildren;
}

/** More are shown when the person wants them. */
const mostAtFirst = 20;

/** Files, one a line. */
export function FileList<Item>({ items, keyOf, children }: Props<Item>) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, mostAtFirst);
  return (
    <>
      <ul class="file-list">
        {shown.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {shown.length < items.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {l10n.t('Show All {0} Files', items.length)}
        </button>
      )}
    </>
  );
}
