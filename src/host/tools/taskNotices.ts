import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import type { Memento } from '../platform/memento.ts';
import { isFailure } from './terminalCommands.ts';

/** A task whose process ended with an exit code other than 0. */
export interface FailedTask {
  readonly name: string;
  readonly exitCode: number;
  /** Id by which its terminal is found; undefined if its start was not observed. */
  readonly processId: number | undefined;
}

export interface TaskNoticesOptions {
  /** The workspace's state, which stores whether the person turned the notices off. */
  readonly state: Memento;
  /** True if notices are wanted in this window now. */
  readonly isWanted: () => boolean;
  /** Shows a notification. Resolves with the button that was clicked. */
  readonly notify: (message: string, buttons: readonly string[]) => PromiseLike<string | undefined>;
  readonly explain: (task: FailedTask) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

const offKey = 'aside.taskNoticesOff';

/** Milliseconds for which VS Code shows a notification before it hides it in its list. */
const shownTime = 10_000;

/** The part of `vscode.TaskExecution` that Aside uses. */
interface Execution {
  readonly task: { readonly name: string };
}

/**
 * Offers to explain a task that failed. Nothing is read of it and nothing is sent before the person
 * clicks. The text of the notice is always the same: VS Code replaces an equal notification, so that
 * there is one of them at most, and it is about the task that failed last.
 */
export class TaskNotices {
  readonly #options: TaskNoticesOptions;
  readonly #processes = new WeakMap<Execution, number>();
  #last: FailedTask | undefined;
  #openSince: number | undefined;

  constructor(options: TaskNoticesOptions) {
    this.#options = options;
  }

  started(execution: Execution, processId: number): void {
    this.#processes.set(execution, processId);
  }

  /** @param exitCode undefined if the person ended the task */
  ended(execution: Execution, exitCode: number | undefined): void {
    const { state, isWanted, clock, onError } = this.#options;
    if (!isFailure(exitCode) || !isWanted() || state.get(offKey) === true) return;
    const processId = this.#processes.get(execution);
    this.#last = { name: execution.task.name, exitCode, processId };
    const now = clock.monotonic();
    const isInSight = this.#openSince !== undefined && now - this.#openSince < shownTime;
    if (isInSight) return;
    this.#openSince = now;
    this.#offer(now).catch(onError);
  }

  async #offer(openSince: number): Promise<void> {
    const { state, notify, explain } = this.#options;
    const [yes, never] = [vscode.l10n.t('Explain'), vscode.l10n.t("Don't Show Again")] as const;
    const answer = await notify(vscode.l10n.t('A task failed.'), [yes, never]);
    if (this.#openSince === openSince) this.#openSince = undefined;
    if (answer === never) await state.update(offKey, true);
    if (answer === yes && this.#last !== undefined) await explain(this.#last);
  }
}
