import { Emitter } from '../../../src/core/support/event.ts';
import type { SecretStore } from '../../../src/host/service/keys.ts';
import type {
  ChoiceRequest,
  Dialogs,
  InputRequest,
  PickItem,
} from '../../../src/host/platform/dialogs.ts';
import type { LogSink } from '../../../src/host/platform/log.ts';
import type { ListedMemento } from '../../../src/host/platform/memento.ts';

/** `globalState` as JSON, so that a value which can't be stored fails. */
export class FakeMemento implements ListedMemento {
  readonly stored = new Map<string, string>();

  keys(): readonly string[] {
    return [...this.stored.keys()];
  }

  get(key: string): unknown {
    const text = this.stored.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.stored.delete(key);
    else this.stored.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

export class FakeSecrets implements SecretStore {
  readonly stored = new Map<string, string>();
  readonly #changed = new Emitter<{ readonly key: string }>();
  /** True on a machine without a keyring. */
  broken = false;

  readonly onDidChange = this.#changed.event;

  async keys(): Promise<readonly string[]> {
    await this.#work();
    return [...this.stored.keys()];
  }

  async get(name: string): Promise<string | undefined> {
    await this.#work();
    return this.stored.get(name);
  }

  async store(name: string, value: string): Promise<void> {
    await this.#work();
    this.stored.set(name, value);
    this.#changed.fire({ key: name });
  }

  async delete(name: string): Promise<void> {
    await this.#work();
    this.stored.delete(name);
    this.#changed.fire({ key: name });
  }

  #work(): Promise<void> {
    return this.broken ? Promise.reject(new Error('no keyring')) : Promise.resolve();
  }
}

/** Answer that accepts the proposed value of an input box. */
export const asProposed = '(as proposed)';

type Answer = string | undefined | (() => string | undefined);

/** Dialogs with prepared answers. An unexpected question fails. */
export class FakeDialogs implements Dialogs {
  readonly inputs: InputRequest[] = [];
  readonly chosen: ChoiceRequest[] = [];
  readonly refused: string[] = [];
  readonly messages: string[] = [];
  /** Items of the quick picks. */
  readonly pickItems: string[] = [];
  clipboard = '';
  /** Proposed values of the input boxes. */
  readonly proposedValues: string[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  get unused(): number {
    return this.#answers.length;
  }

  async prompt(question: InputRequest): Promise<string | undefined> {
    this.inputs.push(question);
    const value = question.propose?.(this.clipboard) ?? question.value ?? '';
    this.proposedValues.push(value);
    const answer = await this.#next(question.title);
    if (answer === undefined) return undefined;
    return answer === asProposed ? value : (question.replace?.(answer) ?? answer);
  }

  choose(question: ChoiceRequest): Promise<string | undefined> {
    this.chosen.push(question);
    return this.#next(question.message);
  }

  confirm(message: string): Promise<never> {
    return this.#refuse(message);
  }

  decide(message: string): Promise<never> {
    return this.#refuse(message);
  }

  /** Resolves with the item that has the answer as its label. */
  async pick<T>(choices: readonly PickItem<T>[], title: string): Promise<T | undefined> {
    this.pickItems.push(
      ...choices.map(({ label, description }) => `${label} ${description ?? ''}`),
    );
    const answer = await this.#next(title);
    return choices.find(({ label }) => label === answer)?.value;
  }

  pickSeveral(_choices: unknown, title: string): Promise<never> {
    return this.#refuse(title);
  }

  showError(message: string): Promise<string | undefined> {
    this.refused.push(message);
    return this.#next(message);
  }

  showInformation(message: string): void {
    this.messages.push(message);
  }

  showStatus(message: string): void {
    this.messages.push(message);
  }

  progress<T>(_title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return task(new AbortController().signal);
  }

  /** Every text that the person could read. */
  get visibleTexts(): string {
    return JSON.stringify([this.inputs, this.chosen, this.refused, this.messages]);
  }

  #next(question: string): Promise<string | undefined> {
    if (this.#answers.length === 0) return this.#refuse(question);
    const answer = this.#answers.shift();
    return Promise.resolve(typeof answer === 'function' ? answer() : answer);
  }

  #refuse(question: string): Promise<never> {
    return Promise.reject(new Error(`Nobody answers: ${question}`));
  }
}

export class FakeLogSink implements LogSink {
  readonly lines: string[] = [];

  info(line: string): void {
    this.lines.push(line);
  }

  warn(line: string): void {
    this.lines.push(line);
  }

  error(line: string): void {
    this.lines.push(line);
  }

  show(): void {
    this.lines.push('shown');
  }
}
