import type { Find } from './find.ts';

/** Longer selections are not what somebody looks for. */
const longestWords = 200;

/** Opens the search with Ctrl+F, or Cmd+F on a Mac, wherever in the panel the focus is. */
export function listenForFind(find: Find): void {
  const isMac = navigator.userAgent.includes('Mac');
  document.addEventListener('keydown', (event) => {
    const isHeld = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!isHeld || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    find.show(selectedWords());
  });
}

function selectedWords(): string {
  const words = document.getSelection()?.toString().trim() ?? '';
  return words.length > longestWords || words.includes('\n') ? '' : words;
}
