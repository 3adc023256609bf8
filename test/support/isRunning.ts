/** Whether the process with this id runs; one that this user may not signal does not count. */
export function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
