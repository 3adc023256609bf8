import { useLayoutEffect } from 'preact/hooks';
import type { Store } from '../store.ts';
import { useStore } from '../view/storeContext.ts';
import { writeInto } from '../writeInto.ts';
import { pastedAddresses } from './addresses.ts';
import { attachAddresses, attachFiles } from './attachFiles.ts';

/** Attaches what is pasted into the field where it is files and not words. */
export function usePaste(field: HTMLTextAreaElement): void {
  const store = useStore();
  useLayoutEffect(() => {
    const ending = new AbortController();
    const paste = (event: ClipboardEvent): void => {
      if (event.clipboardData !== null && take(store, field, event.clipboardData))
        event.preventDefault();
    };
    field.addEventListener('paste', paste, { signal: ending.signal });
    return () => ending.abort();
  }, [store, field]);
}

function take(store: Store, field: HTMLTextAreaElement, data: DataTransfer): boolean {
  const text = data.getData('text/plain');
  const addresses = pastedAddresses(text);
  if (addresses.length > 0) void attachOrWrite(store, field, addresses, text);
  // A table that is copied brings its picture along: the words are meant.
  const files = text === '' ? [...data.files] : [];
  if (files.length > 0) void attachFiles(store, files);
  return addresses.length > 0 || files.length > 0;
}

/** What looked like a file and is none was meant as words. */
async function attachOrWrite(
  store: Store,
  field: HTMLTextAreaElement,
  addresses: string[],
  text: string,
): Promise<void> {
  if (await attachAddresses(store, addresses)) return;
  const { selectionStart: start, selectionEnd: end } = field;
  writeInto(field, store.draft, { start, end, text });
}
