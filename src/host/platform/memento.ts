/** The part of `vscode.Memento` that Aside uses. Values are unknown until they are validated. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
