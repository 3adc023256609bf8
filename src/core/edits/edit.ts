/** A text that stands once in a file, and what comes in its place. */
export interface Edit {
  readonly search: string;
  readonly replace: string;
}
