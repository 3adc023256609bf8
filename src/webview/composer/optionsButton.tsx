import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { useStore } from '../parts/hooks.ts';
import { withoutEmpty } from './optionFields.ts';
import { OptionsForm } from './optionsForm.tsx';

/** Opens the request options of this chat above the composer. */
export function OptionsButton() {
  const store = useStore();
  const frame = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const changed = Object.values(withoutEmpty(store.options.value)).length > 0;
  const close = (): void => {
    // Focus moves before the form is removed, so that the edited field fires its change event.
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
      <ChangeIconButton
        className={changed ? 'options-button changed' : 'options-button'}
        icon="settings"
        name={l10n.t('Configure')}
        title={l10n.t('Chat Options')}
        expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open && store.readOnly.value === undefined && <OptionsForm close={close} />}
    </span>
  );
}

/** Listens on the document, because the form covers the panel wherever focus is. */
function useEscape(open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
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
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target)) return;
      // Deferred until the press has moved focus: only then does the edited field fire its change
      // event.
      setTimeout(() => latest.current());
    };
    document.addEventListener('pointerdown', onPointer, true);
    return () => document.removeEventListener('pointerdown', onPointer, true);
  }, [frame, open]);
}
