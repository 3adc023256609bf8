import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import type { contextKeys } from './contributions.ts';

type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

/** Sets context keys of VS Code, each only when its value changes. */
export class ContextFlags {
  readonly #values = new Map<ContextKey, boolean>();

  set(key: ContextKey, value: boolean): void {
    if (this.#values.get(key) === value) return;
    this.#values.set(key, value);
    background(vscode.commands.executeCommand('setContext', key, value));
  }
}
