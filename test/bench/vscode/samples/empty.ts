/** An extension that does nothing: what VS Code itself costs. */
export function activate(): void {
  // Nothing.
}
