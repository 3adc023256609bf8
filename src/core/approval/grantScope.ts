import { segmentsOf, withSegments, type Location } from '../workspace/places.ts';

/** The exact scope of a grant for more than one call. */
export type GrantScope =
  /** Changes of unprotected files in the workspace. */
  | { readonly type: 'edits' }
  /** Reading one file. */
  | {
      readonly type: 'file';
      readonly file: Location;
      /** The folder of a file outside the workspace; undefined for a file inside. */
      readonly within: KnownFolder | undefined;
    }
  /** Reading files in a folder. */
  | ({ readonly type: 'folder' } & KnownFolder)
  /** Running exactly this command line, in this folder and this shell. */
  | CommandScope
  /** Calling another extension's tool while its description stays the same. */
  | { readonly type: 'tool'; readonly tool: string; readonly identity: string };

/** A folder outside the workspace, with links followed, and not a later one in its place. */
export interface KnownFolder {
  readonly folder: Location;
  /** Device and inode; empty if they can't be determined. */
  readonly identity: string;
}

/** The scope of a repeatable command. */
export interface CommandScope {
  readonly type: 'command';
  readonly command: string;
  readonly folder: Location;
  readonly shell: string;
}

/** `chat`: this chat in this window, kept in memory; `workspace`: stored for this workspace. */
type GrantLifetime = 'chat' | 'workspace';

/** A scope that the person can grant, and for how long. */
export type GrantOffer =
  | { readonly lifetime: 'chat'; readonly scope: GrantScope }
  | { readonly lifetime: 'workspace'; readonly scope: CommandScope };

/** Caller of a tool: grants of one holder never serve another one (threats: T45). */
export interface GrantHolder {
  /** See `workspaceIdentity`. */
  readonly workspace: string;
  /** Identifier of the conversation; undefined for a caller that has no grants at all. */
  readonly conversation: string | undefined;
}

/** A permission that the person gave. */
export interface Grant {
  readonly id: string;
  readonly lifetime: GrantLifetime;
  readonly scope: GrantScope;
  /** Time of the approval, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Number of calls that used it. */
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
 * True if a command can be granted for later: it has no quotes and no characters that a shell
 * interprets (threats: T26).
 */
export function isRepeatable(command: string): boolean {
  return /^[A-Za-z0-9 ._/:=@+,-]+$/.test(command) && command.trim() !== '';
}
