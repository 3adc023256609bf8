import { chmod, mkdir, type FileHandle } from 'node:fs/promises';

/** For files and folders that nobody but their owner may read: chats are private. */
export const ownerOnly = { file: 0o600, folder: 0o700 };

/**
 * Creates a folder that only its owner can open, or takes it from all others if it exists: it may be
 * older than this rule. Whatever is in it is then out of their reach.
 */
export async function createOwnerFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: ownerOnly.folder });
  await ignoreUnsupported(chmod(folder, ownerOnly.folder));
}

/** Takes an open file from all but its owner. */
export async function restrictToOwner(file: FileHandle): Promise<void> {
  await ignoreUnsupported(file.chmod(ownerOnly.file));
}

/** Some file systems, and folders of somebody else, have no permissions that could be changed. */
async function ignoreUnsupported(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
  }
}
