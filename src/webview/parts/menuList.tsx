/** The open menu. This module is loaded with the first one. */
import type { RefObject, TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './controls.tsx';
import { useDeliberatePress } from './deliberatePress.ts';
import { closeMenu, type MenuItem, type OpenMenu } from './menu.ts';

/** Pixels between the menu, its button and the edges of the panel. */
const edge = 4;

export function MenuList({ menu }: { readonly menu: OpenMenu }) {
  const frame = useRef<HTMLDivElement>(null);
  const id = useId();
  const { anchor, items, facts } = menu;
  usePlace(frame, anchor);
  useLayoutEffect(() => frame.current?.querySelector<HTMLElement>('button')?.focus(), [menu]);
  return (
    <div
      class="menu"
      ref={frame}
      onKeyDown={(event) => onKey(event, anchor)}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && frame.current?.contains(relatedTarget);
        if (isInside !== true && relatedTarget !== anchor) closeMenu();
      }}
    >
      <div
        role="menu"
        aria-label={anchor.getAttribute('aria-label') ?? ''}
        aria-describedby={facts === undefined ? undefined : id}
      >
        {items.map((item) => (
          <Entry key={item.name} item={item} anchor={anchor} />
        ))}
      </div>
      {facts !== undefined && (
        <div class="menu-facts" id={id}>
          {facts}
        </div>
      )}
    </div>
  );
}

interface EntryProps {
  readonly item: MenuItem;
  readonly anchor: HTMLElement;
}

function Entry({ item, anchor }: EntryProps) {
  const { icon, name, isOn, disabled, isDeliberate = false, run } = item;
  const { ref, isSettled, click } = useDeliberatePress(name, isDeliberate, () => {
    close(anchor);
    run();
  });
  return (
    <button
      ref={ref}
      type="button"
      role={isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
      tabIndex={-1}
      aria-checked={isOn}
      aria-disabled={disabled !== undefined || !isSettled}
      title={disabled}
      onClick={disabled === undefined ? click : undefined}
    >
      <Icon name={isOn === true ? 'check' : icon} />
      <span>{name}</span>
    </button>
  );
}

function close(anchor: HTMLElement): void {
  anchor.focus();
  closeMenu();
}

function onKey(event: TargetedKeyboardEvent<HTMLElement>, anchor: HTMLElement): void {
  const { key, currentTarget } = event;
  if (key === 'Escape' || key === 'Tab') {
    // Tab then continues from the button.
    close(anchor);
    event.stopPropagation();
    if (key === 'Escape') event.preventDefault();
    return;
  }
  const entries = [...currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = entries.findIndex((entry) => entry === document.activeElement);
  const next = nextEntry(key, at, entries.length);
  if (next === undefined) return;
  event.preventDefault();
  entries[next]?.focus();
}

function nextEntry(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** Keeps the menu at its button during scrolling, and closes it on a press elsewhere. */
function usePlace(frame: RefObject<HTMLElement | null>, anchor: HTMLElement): void {
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const options = { capture: true, signal: listeners.signal };
    const update = (): void => {
      if (!anchor.isConnected) closeMenu();
      else if (frame.current !== null) placeAt(frame.current, anchor);
    };
    const press = ({ target }: Event): void => {
      const isInside = target instanceof Node && frame.current?.contains(target);
      // The button closes its menu itself.
      const isAnchor = target instanceof Node && anchor.contains(target);
      if (isInside !== true && !isAnchor) closeMenu();
    };
    update();
    window.addEventListener('resize', update, options);
    document.addEventListener('scroll', update, options);
    document.addEventListener('pointerdown', press, options);
    return () => listeners.abort();
  }, [frame, anchor]);
}

/** Positions the menu below the button, or above it if there is more room. */
function placeAt(menu: HTMLElement, anchor: HTMLElement): void {
  const button = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const { innerWidth, innerHeight } = window;
  const below = button.bottom + edge;
  const isBelow = below + height <= innerHeight || button.top < innerHeight - button.bottom;
  const y = isBelow ? below : button.top - height - edge;
  const isRightToLeft = getComputedStyle(anchor).direction === 'rtl';
  const x = isRightToLeft ? button.right - width : button.left;
  menu.style.top = `${Math.max(edge, Math.min(y, innerHeight - height - edge))}px`;
  menu.style.left = `${Math.max(edge, Math.min(x, innerWidth - width - edge))}px`;
}
