/** Tables whose later rows know the columns. */
const aligned = new WeakSet<HTMLElement>();

/**
 * Gives the later rows of a long table the columns of its first ones, which alone are laid out as a
 * table: else each new row would lay out and paint all the rows before it.
 *
 * @param frame the element around the table
 */
export function alignColumns(frame: ParentNode | null): void {
  const table = frame?.querySelector('table') ?? undefined;
  // A document that is never laid out has no columns.
  if (table === undefined || aligned.has(table) || !('ResizeObserver' in globalThis)) return;
  aligned.add(table);
  const cells = table.querySelectorAll('thead th');
  const observer = new ResizeObserver(() => {
    const widths = Array.from(cells, (cell) => cell.getBoundingClientRect().width);
    const inPixels = widths.map((width) => `${String(width)}px`);
    table.style.setProperty('--columns', inPixels.join(' '));
    const width = widths.reduce((sum, one) => sum + one, 0);
    table.style.setProperty('--width', `${String(width)}px`);
  });
  for (const cell of cells) observer.observe(cell);
}
