import type { ComponentChildren } from 'preact';

interface Props {
  /** Name of a codicon. */
  readonly icon: string;
  /** What it is called by assistive technology, and by its tooltip where there is no `title`. */
  readonly name: string;
  readonly title?: string;
  readonly className?: string;
  /** Keeps the focus, unlike a button that the browser disables, and does nothing. */
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children?: ComponentChildren;
}

export function IconButton({ icon, name, title, className, disabled, onClick, children }: Props) {
  return (
    <button
      type="button"
      class={className === undefined ? 'icon-button' : `icon-button ${className}`}
      aria-label={name}
      title={title ?? name}
      aria-disabled={disabled ?? false}
      onClick={disabled === true ? undefined : onClick}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

/** The code of keys that an input method handles. Safari tells only by it that Enter was one. */
const handledByInputMethod = 229;

/** Enter as a wish to send: not a new line (Shift), and not the choice of an input method. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  if (event.isComposing || Reflect.get(event, 'keyCode') === handledByInputMethod) return false;
  return event.key === 'Enter' && !event.shiftKey && !event.altKey;
}
