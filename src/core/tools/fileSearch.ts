import type { Location } from './target.ts';

/** Where to look for files, and which of them count. */
export interface SearchScope {
  /** The folder that globs and found paths are relative to. */
  readonly root: Location;
  /** The file or folder below it to look at, relative to it; empty for all of it. */
  readonly start: string;
  /** Globs of which a path fits one; empty for all. Without a `/` they are about names. */
  readonly include: readonly string[];
  /** Globs of what is left out, with all that lies below. */
  readonly exclude: readonly string[];
}

/** A text to look for. All lower case finds upper case too. */
export interface TextQuery {
  readonly text: string;
  readonly isRegex: boolean;
  /** Lines to tell before and after each that fits. */
  readonly context: number;
}

/** A line that fits the query, or one beside it. */
export interface FoundLine {
  /** Relative to the root of the scope. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Without its end; cut where it is very long. */
  readonly text: string;
  /** False for a line of context. */
  readonly fits: boolean;
}

/** Characters of a found line that are told at most, more or less. */
export const longestLine = 400;

/**
 * Finds files and lines below a folder, without what `.gitignore` names, and without following
 * links. `found` may say false, which ends the search. All reject when the signal aborts, and with
 * a `ToolError` where the query or a glob is not understood.
 */
export interface FileSearch {
  /** Tells the paths of files, relative to the root of the scope, in any order. */
  files(scope: SearchScope, found: (path: string) => boolean, signal: AbortSignal): Promise<void>;
  /** Tells lines: those of a file together and in order, the files in any. */
  lines(
    scope: SearchScope,
    query: TextQuery,
    found: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void>;
  /** The lines of a text that is not, or not like this, on the disk; told under the path. */
  linesOf(
    path: string,
    text: string,
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[]>;
}
