import type { FileSystemView } from '../../core/tools/fileSystemView.ts';
import type { Platform } from '../../core/tools/places.ts';
import type { Location } from '../../core/tools/target.ts';

/** What only Node tells of the machine. There is none on the web. */
export interface Machine {
  readonly view: FileSystemView;
  readonly platform: Platform;
  /** The person's home folder as it is named, and as it really is where that differs. */
  readonly homes: readonly Location[];
  /** The name of the machine and of the person on it: where a command runs, and as whom. */
  readonly host: string;
  readonly user: string;
}
