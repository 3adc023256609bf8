/** Something that holds on to a resource until it is told to let go. Fits `vscode.Disposable`. */
export interface Disposable {
  dispose(): void;
}

/** Makes a {@link Disposable} of a function; calling `dispose` again does nothing. */
export function toDisposable(release: () => void): Disposable {
  let released = false;
  return {
    dispose() {
      if (released) return;
      released = true;
      release();
    },
  };
}

/** Disposes of several things together, in the reverse of the order in which they were made. */
export function disposeAll(disposables: Iterable<Disposable>): void {
  for (const disposable of [...disposables].reverse()) disposable.dispose();
}
