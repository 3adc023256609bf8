import { useState } from 'preact/hooks';
import { IconButton } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

interface Props {
  readonly name: string;
  readonly text: () => string;
}

/** Copies, and shows for a moment that it did. */
export function CopyButton({ name, text }: Props) {
  const store = useStore();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await store.request({ type: 'copy', text: text() }))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <IconButton icon={done ? 'check' : 'copy'} name={name} onClick={() => void copy()} />;
}
