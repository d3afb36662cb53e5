/** Work that a thread does for us and that nothing can stop: opening a pipe nobody writes to, asking a name server that is silent. */
const unstoppable = ["FSReqCallback", "FSReqPromise", "GetAddrInfoReqWrap", "GetNameInfoReqWrap"];

/**
 * Ends the process with this code. `process.exit` waits for the threads of such work, for ever where a file system or a name
 * server is silent; then a new program takes the place of this one in the same process, which ends at once with the code.
 */
export function exitNow(code: number): never {
  if (process.getActiveResourcesInfo().some((name) => unstoppable.includes(name))) replaceProcess(code);
  process.exit(code);
}

/** Returns where the platform has no such call. */
function replaceProcess(code: number): void {
  if (process.platform === "win32") return;
  try {
    process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {});
  } catch {
    // `process.exit` is what remains.
  }
}
