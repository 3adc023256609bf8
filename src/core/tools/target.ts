/** An address of a file or folder, with the parts of a URI: decoded, `/` between segments. */
export interface Location {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** A file or folder that a call is about, as it really is: links followed, case as on the disk. */
export interface Target {
  /** As the model wrote it. */
  readonly requested: string;
  /** What will be touched. */
  readonly location: Location;
  /** Where it was named, before links were followed. */
  readonly named: Location;
  /** As the person knows it: relative to its workspace folder, else the whole path. */
  readonly label: string;
  /** Whether it lies in a folder of the workspace, after links were followed. */
  readonly inside: boolean;
  readonly kind: 'file' | 'folder' | 'missing' | 'special';
  /** Device and inode where the system tells them, else empty: another file has another identity. */
  readonly identity: string;
  /** How many names the file has on the disk; 1 where nobody knows. */
  readonly hardLinks: number;
  /** Whether it may be run as a program. */
  readonly executable: boolean;
}
