import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CompletionItem } from '../../protocol/messages.ts';
import { revealInvisible } from '../../core/support/invisible.ts';
import { CutName } from '../view/cutName.tsx';
import { Icon } from '../view/iconButton.tsx';
import type { Completion } from './completion.ts';
import { useCompletion } from './useCompletion.ts';

const listId = 'completions';
const itemId = (index: number): string => `completion-${index}`;

interface Props {
  readonly field: HTMLTextAreaElement;
}

/** Over the composer: what the word at the cursor may become. The focus stays in the field. */
export function CompletionList({ field }: Props) {
  const completion = useCompletion(field);
  const found = completion.found.value;
  const active = completion.active.value;
  useFieldRole(field, found !== undefined, found?.items[active] && itemId(active));
  if (found === undefined) return null;
  const { trigger, items } = found;
  return (
    // A press must not take the focus out of the field.
    <div class="completions" onMouseDown={(event) => event.preventDefault()}>
      <div
        id={listId}
        class="completion-items"
        role="listbox"
        aria-label={trigger === '@' ? l10n.t('What to Attach') : l10n.t('Commands')}
      >
        {items.map((item, index) => (
          <Item key={item.id} item={item} index={index} completion={completion} />
        ))}
      </div>
      {items.every(({ isAction }) => isAction) && (
        <div class="completions-none" aria-live="polite">
          {l10n.t('Nothing of this name')}
        </div>
      )}
    </div>
  );
}

interface ItemProps {
  readonly item: CompletionItem;
  readonly index: number;
  readonly completion: Completion;
}

function Item({ item, index, completion }: ItemProps) {
  const row = useRef<HTMLDivElement>(null);
  const isActive = completion.active.value === index;
  useLayoutEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const detail = item.detail === undefined ? '' : revealInvisible(item.detail).text;
  return (
    <div
      ref={row}
      id={itemId(index)}
      class={item.isAction === true ? 'completion action' : 'completion'}
      role="option"
      aria-selected={isActive}
      title={detail === '' ? undefined : detail}
      onPointerMove={() => completion.point(index)}
      onClick={() => {
        completion.point(index);
        completion.choose();
      }}
    >
      <Icon name={item.icon} />
      <CutName name={item.label} />
      {detail !== '' && <span class="completion-detail">{detail}</span>}
    </div>
  );
}

/** The field says by itself that it has a list, and which of its items is meant. */
function useFieldRole(field: HTMLTextAreaElement, open: boolean, active: string | undefined): void {
  useLayoutEffect(() => {
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-haspopup', 'listbox');
    field.setAttribute('aria-expanded', String(open));
    setOrRemove(field, 'aria-controls', open ? listId : undefined);
    setOrRemove(field, 'aria-activedescendant', active);
  }, [field, open, active]);
}

function setOrRemove(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
