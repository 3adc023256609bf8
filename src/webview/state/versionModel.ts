import { signal, type ReadonlySignal } from '@preact/signals';
import type { TurnVersions, VersionsByTurn } from '../../core/conversation/versions.ts';

export interface VersionButton {
  readonly turn: string;
  /** Part of the turn that another version replaces. */
  readonly of: keyof TurnVersions;
  readonly side: 'previous' | 'next';
  /** Distance of the button from the top of the page, in pixels. */
  readonly top: number;
}

/** The versions of the turns in the window, and navigation between them. */
export class VersionModel {
  readonly #byTurn = signal<VersionsByTurn>({});
  #pressed: VersionButton | undefined;
  #held: { readonly element: HTMLElement; readonly top: number } | undefined;

  readonly byTurn: ReadonlySignal<VersionsByTurn> = this.#byTurn;

  show(versions: VersionsByTurn = {}): void {
    this.#byTurn.value = versions;
  }

  add(versions: VersionsByTurn = {}): void {
    if (Object.keys(versions).length > 0)
      this.#byTurn.value = { ...this.#byTurn.peek(), ...versions };
  }

  /** Remembers the button that was pressed; undefined forgets it. */
  press(button: VersionButton | undefined): void {
    this.#pressed = button;
  }

  /** The button that was pressed to get to this turn, returned once. */
  takePressed(turn: string, of: keyof TurnVersions): VersionButton | undefined {
    const pressed = this.#pressed;
    if (pressed?.turn !== turn || pressed.of !== of) return undefined;
    this.#pressed = undefined;
    return pressed;
  }

  /** Keeps the button of the new turn at the position of the pressed one. */
  hold(element: HTMLElement, top: number): void {
    this.#held = { element, top };
  }

  /** The element to keep in place and its distance from the top of the page, returned once. */
  takeHeld(): { readonly element: HTMLElement; readonly top: number } | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}
