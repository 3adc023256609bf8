/**
 * Keeps focus near a pressed button that is removed: an element around it gets focus, so that Tab
 * continues from there and not from the start of the page.
 */
export function keepFocusIn(root: HTMLElement): void {
  let around: readonly HTMLElement[] = [];
  root.addEventListener('focusin', ({ target }) => {
    around = target instanceof Element ? ancestorsOf(target, root) : [];
  });
  new MutationObserver(() => {
    if (around.length === 0 || document.activeElement !== document.body) return;
    const [focused, ...parents] = around;
    if (focused?.isConnected === true || !document.hasFocus()) return;
    const heir = parents.find((parent) => parent.isConnected) ?? root;
    heirIn(heir).focus();
  }).observe(root, { childList: true, subtree: true });
}

function ancestorsOf(element: Element, root: HTMLElement): readonly HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement)
    if (at instanceof HTMLElement) ancestors.push(at);
  return ancestors;
}

/** The heading of a section, or the section itself if it has none. */
function heirIn(part: HTMLElement): HTMLElement {
  const heading = part.closest('section, main')?.querySelector<HTMLElement>('h1, h2') ?? part;
  heading.tabIndex = -1;
  return heading;
}
