/** What the flows of the connection ask of a person, so that tests can answer in their place. */
export interface Dialogs {
  /** One line of text; undefined when the person cancels. Not accepted while `check` objects. */
  ask(question: TextQuestion): Promise<string | undefined>;
  /** A question that the flow cannot go on without; undefined when the person cancels. */
  choose(question: ChoiceQuestion): Promise<string | undefined>;
  /** Says that something went wrong, with one way on; undefined when that was not taken. */
  refuse(message: string, button: string): Promise<string | undefined>;
  /** Says something that needs no answer. */
  tell(message: string): void;
  /** Shows that something goes on; the signal aborts when the person cancels. */
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Shows dots in place of what is typed. */
  readonly secret?: boolean | undefined;
  /** Called as one types. */
  readonly check: (text: string) => Objection | undefined;
}

export interface Objection {
  readonly text: string;
  /** A warning is shown, and the text is accepted all the same. */
  readonly severity: 'error' | 'warning';
}

export interface ChoiceQuestion {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly buttons: readonly string[];
}
