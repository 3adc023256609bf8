/** An extension that does nothing, to measure the cost of VS Code itself. */
export function activate(): void {
  // Nothing.
}
