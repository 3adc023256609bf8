/** The part of `vscode.Memento` that Aside uses; its values are unknown until they are checked. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
