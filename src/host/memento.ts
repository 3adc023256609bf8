/** The part of `vscode.Memento` that Aside uses, so that a test can bring a map. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
