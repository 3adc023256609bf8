import type { Location } from './target.ts';

/** What the file system tells of a file or folder, links followed. */
export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'special';
  /** Device, inode and time of birth in one text: another file has another one. */
  readonly identity: string;
  /** How many names it has. */
  readonly hardLinks: number;
  readonly executable: boolean;
}

/**
 * The disk, as far as the gate must know it. There is one where Node is; on the web and for virtual
 * workspaces there is none. Whatever cannot be found out is thrown, and the gate denies.
 */
export interface FileSystemView {
  /**
   * The same place with all links followed; undefined where nothing has that name.
   * @throws where a link leads nowhere or in a circle, or a folder may not be entered.
   */
  realPath(location: Location): Promise<Location | undefined>;
  /** Undefined where nothing has that name. */
  status(location: Location): Promise<FileStatus | undefined>;
  /** Names of the links directly in a folder. */
  links(folder: Location): Promise<readonly string[]>;
  /** The first bytes of a file. */
  head(location: Location, bytes: number): Promise<Uint8Array>;
}
