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
