import { segmentsOf, withSegments, type Location } from '../workspace/places.ts';

/** The exact scope of a grant for more than one call. */
export type GrantScope =
  /** Changes of unprotected files in the workspace. */
  | { readonly type: 'edits' }
  | {
      readonly type: 'file';
      readonly file: Location;
      /** The folder of a file outside the workspace; undefined inside. */
      readonly within: KnownFolder | undefined;
    }
  | ({ readonly type: 'folder' } & KnownFolder)
  /** Running exactly this command line, in this folder and this shell. */
  | CommandScope
  /** Calling another extension's tool as long as its description is the same. */
  | { readonly type: 'tool'; readonly tool: string; readonly identity: string };

/**
 * A folder outside the workspace, with links followed. The identity detects a folder that replaced
 * it.
 */
export interface KnownFolder {
  readonly folder: Location;
  /** Device and inode; empty if they can't be determined. */
  readonly identity: string;
}

export interface CommandScope {
  readonly type: 'command';
  readonly command: string;
  readonly folder: Location;
  readonly shell: string;
}

/** `chat`: this chat in this window, in memory; `workspace`: stored for this workspace. */
type GrantLifetime = 'chat' | 'workspace';

/** A scope that the person can grant, with its lifetime. */
export type GrantOffer =
  | { readonly lifetime: 'chat'; readonly scope: GrantScope }
  | { readonly lifetime: 'workspace'; readonly scope: CommandScope };

/** Caller of a tool. A grant applies to one holder only (threats: T45). */
export interface GrantHolder {
  readonly workspace: string;
  /** Undefined for a caller that can't have grants. */
  readonly conversation: string | undefined;
}

/** A permission that the person gave. */
export interface Grant {
  readonly id: string;
  readonly lifetime: GrantLifetime;
  readonly scope: GrantScope;
  /** Time of the approval, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly uses: number;
}

/** A key that is equal only for equal scopes. */
export function keyOfScope(scope: GrantScope): string {
  switch (scope.type) {
    case 'edits':
      return JSON.stringify([scope.type]);
    case 'file':
      return JSON.stringify([scope.type, scope.within?.identity, ...placeOf(scope.file)]);
    case 'folder':
      return JSON.stringify([scope.type, scope.identity, ...placeOf(scope.folder)]);
    case 'command':
      return JSON.stringify([scope.type, scope.command, scope.shell, ...placeOf(scope.folder)]);
    case 'tool':
      return JSON.stringify([scope.type, scope.tool, scope.identity]);
  }
}

function placeOf({ scheme, authority, path }: Location): readonly string[] {
  return [scheme, authority, ...segmentsOf(path)];
}

/** The parent folders of a location, nearest first, without the root. */
export function foldersAround(location: Location): readonly Location[] {
  const names = segmentsOf(location.path);
  const depths = names.map((_, index) => names.length - 1 - index).filter((depth) => depth > 0);
  return depths.map((depth) => withSegments(location, names.slice(0, depth)));
}

/**
 * True if a command can be granted for repeated use: it has no quotes and no characters that a
 * shell interprets (threats: T26).
 */
export function isRepeatable(command: string): boolean {
  return /^[A-Za-z0-9 ._/:=@+,-]+$/.test(command) && command.trim() !== '';
}
