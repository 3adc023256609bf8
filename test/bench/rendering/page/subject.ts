/** Something that shows a growing text. What was pushed is on the screen one frame later. */
export interface Subject {
  push(chunk: string): void;
  end(): void;
}

/** Starts one in an element that is empty. */
export type CreateSubject = (container: HTMLElement) => Subject;
