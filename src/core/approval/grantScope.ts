import { segmentsOf, withSegments, type Location } from '../workspace/places.ts';

/** What a person allowed for more than one call, exactly. */
export type GrantScope =
  /** Changes of files in the workspace that are not protected. */
  | { readonly type: 'edits' }
  /** Reading one file. */
  | { readonly type: 'file'; readonly file: Location }
  /** Reading what lies in a folder. */
  | { readonly type: 'folder'; readonly folder: Location }
  /** Running this text, character by character, in this folder and this shell. */
  | CommandScope
  /** Calling another extension's tool, as long as it describes itself the same. */
  | { readonly type: 'tool'; readonly tool: string; readonly identity: string };

/** A command that may be repeated. */
export interface CommandScope {
  readonly type: 'command';
  readonly command: string;
  readonly folder: Location;
  readonly shell: string;
}

/** `chat`: this chat in this window, in memory; `workspace`: stored for this workspace. */
type GrantLifetime = 'chat' | 'workspace';

/** A scope that the person may allow, and for how long. */
export type GrantOffer =
  | { readonly lifetime: 'chat'; readonly scope: GrantScope }
  | { readonly lifetime: 'workspace'; readonly scope: CommandScope };

/** What a person allowed. */
export interface Grant {
  readonly id: string;
  readonly lifetime: GrantLifetime;
  readonly scope: GrantScope;
  /** When it was given, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** How many calls ran under it. */
  readonly uses: number;
}

/** The same text for the same scope, and for no other. */
export function keyOfScope(scope: GrantScope): string {
  switch (scope.type) {
    case 'edits':
      return JSON.stringify([scope.type]);
    case 'file':
      return JSON.stringify([scope.type, ...placeOf(scope.file)]);
    case 'folder':
      return JSON.stringify([scope.type, ...placeOf(scope.folder)]);
    case 'command':
      return JSON.stringify([scope.type, scope.command, scope.shell, ...placeOf(scope.folder)]);
    case 'tool':
      return JSON.stringify([scope.type, scope.tool, scope.identity]);
  }
}

function placeOf({ scheme, authority, path }: Location): readonly string[] {
  return [scheme, authority, ...segmentsOf(path)];
}

/** The folders around a place, the nearest first, without the root. */
export function foldersAround(location: Location): readonly Location[] {
  const names = segmentsOf(location.path);
  const depths = names.map((_, index) => names.length - 1 - index).filter((depth) => depth > 0);
  return depths.map((depth) => withSegments(location, names.slice(0, depth)));
}

/** Only such a command can be allowed for later: no quotes and nothing that a shell acts on (threats: T26). */
export function isRepeatable(command: string): boolean {
  return /^[A-Za-z0-9 ._/:=@+,-]+$/.test(command) && command.trim() !== '';
}
