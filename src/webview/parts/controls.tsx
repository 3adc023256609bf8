import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import type { CallParameters } from '../../protocol/rpc.ts';
import { useDeliberatePress } from './deliberatePress.ts';
import { useStore } from './hooks.ts';

export interface IconButtonProps {
  readonly icon: string;
  /** Accessible name, and the tooltip if there is no `title`. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly className?: string;
  /** The button ignores clicks but stays focusable, unlike with the attribute `disabled`. */
  readonly disabled?: boolean;
  /** True if the button's menu or section is open. */
  readonly expanded?: boolean;
  /** True if it allows, accepts or starts something, so that only deliberate presses count. */
  readonly isDeliberate?: boolean;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly children?: ComponentChildren;
}

export function IconButton(props: IconButtonProps) {
  const { icon, name, title, className, disabled, expanded, children } = props;
  const { isDeliberate = false, onClick } = props;
  const { ref, isSettled, click } = useDeliberatePress(name, isDeliberate, onClick);
  return (
    <button
      ref={ref}
      type="button"
      class={className === undefined ? 'icon-button' : `icon-button ${className}`}
      aria-label={name}
      title={title ?? name}
      aria-disabled={disabled === true || !isSettled}
      aria-expanded={expanded}
      onClick={disabled === true ? undefined : click}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

interface CommandButtonProps {
  readonly command: CallParameters['run']['command'];
  /** Its classes. */
  readonly look?: string;
  readonly children: ComponentChildren;
}

/** Runs a command of VS Code. */
export function CommandButton({ command, look = 'button', children }: CommandButtonProps) {
  const store = useStore();
  return (
    <button type="button" class={look} onClick={() => store.post('run', { command })}>
      {children}
    </button>
  );
}

export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

/**
 * `keyCode` of keys that an input method handles. In Safari, nothing else identifies such an Enter.
 */
const handledByInputMethod = 229;

/**
 * True for Enter that sends: without Shift (a new line), and not an input method's confirmation.
 */
export function isPlainEnter(event: KeyboardEvent): boolean {
  return isEnter(event) && !event.altKey;
}

/** True for Alt+Enter, which lets a message go into the running turn. */
export function isAltEnter(event: KeyboardEvent): boolean {
  return isEnter(event) && event.altKey && !event.ctrlKey && !event.metaKey;
}

function isEnter(event: KeyboardEvent): boolean {
  if (event.isComposing || Reflect.get(event, 'keyCode') === handledByInputMethod) return false;
  return event.key === 'Enter' && !event.shiftKey;
}

/** Changes the chat. If another window writes it, it is disabled and explains why. */
export function ChangeIconButton({ disabled = false, title, ...props }: IconButtonProps) {
  const reason = useStore().readOnly.value;
  return (
    <IconButton {...props} title={reason ?? title} disabled={disabled || reason !== undefined} />
  );
}

interface ChangeButtonProps {
  readonly title?: string | undefined;
  readonly isSecondary?: boolean;
  readonly disabled?: boolean;
  /** True if it allows, accepts or starts something, so that only deliberate presses count. */
  readonly isDeliberate?: boolean;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly children: ComponentChildren;
}

/** Changes the chat, like {@link ChangeIconButton}, with its name as text. */
export function ChangeButton(props: ChangeButtonProps) {
  const { title, isSecondary = false, disabled = false, children } = props;
  const { isDeliberate = false, onClick } = props;
  const reason = useStore().readOnly.value;
  const { ref, isSettled, click } = useDeliberatePress(children, isDeliberate, onClick);
  return (
    <button
      ref={ref}
      type="button"
      class={isSecondary ? 'button secondary' : 'button'}
      title={reason ?? title}
      disabled={disabled || reason !== undefined}
      aria-disabled={isSettled ? undefined : true}
      onClick={click}
    >
      {children}
    </button>
  );
}
