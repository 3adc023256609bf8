import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { lazyModule } from '../parts/lazy.ts';

const optionsForm = lazyModule(() => import('./optionsForm.tsx'));

/** Opens the request options of this chat above the composer. */
export function OptionsButton() {
  const store = useStore();
  const frame = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const changed = Object.values(store.options.value).some((value) => value !== undefined);
  const close = (): void => {
    // Before the form is gone, so that a field that is being edited reports its change.
    frame.current?.querySelector('button')?.focus();
    setOpen(false);
  };
  useCloseOutside(frame, open, () => setOpen(false));
  useEscape(open, close);
  return (
    <span
      class="options"
      ref={frame}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !frame.current?.contains(relatedTarget))
          setOpen(false);
      }}
    >
      <IconButton
        className={changed ? 'options-button changed' : 'options-button'}
        icon="settings"
        name={l10n.t('Options')}
        title={l10n.t('Chat Options')}
        onClick={() => setOpen(!open)}
      />
      {open && <Form close={close} />}
    </span>
  );
}

function Form({ close }: { readonly close: () => void }) {
  const form = optionsForm();
  return form === undefined ? null : <form.OptionsForm close={close} />;
}

/** Wherever the focus is: the form is in the way of the whole panel. */
function useEscape(open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!open) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') latest.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [open]);
}

function useCloseOutside(
  frame: { readonly current: HTMLElement | null },
  open: boolean,
  close: () => void,
): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!open) return undefined;
    const press = (event: PointerEvent): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target)) return;
      // After the press has moved the focus: only then the edited field has reported its change.
      setTimeout(() => latest.current());
    };
    document.addEventListener('pointerdown', press, true);
    return () => document.removeEventListener('pointerdown', press, true);
  }, [frame, open]);
}
