/** Whether a process of this pid is there, whoever it belongs to. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not `instanceof Error`: inside jest the errors of Node's own modules come from another realm.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}
