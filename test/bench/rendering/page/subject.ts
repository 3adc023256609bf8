/** Renders a growing text. Pushed text is on the screen one frame later. */
export interface Subject {
  push(chunk: string): void;
  end(): void;
}

/** Creates a subject in an empty element. */
export type CreateSubject = (container: HTMLElement) => Subject;
