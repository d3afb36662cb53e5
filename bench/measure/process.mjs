// What Linux tells of another process.
import { readdirSync, readFileSync } from "node:fs";

/** Returns the milliseconds of processor time of all threads of a process that are alive. */
export function readCpu(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1e6;
}

/** Returns the memory of a process, in MB. Throws where it has ended. */
export function readMemory(pid) {
  return readStatus(pid, "VmRSS");
}

/** Returns the most memory that a process had, in MB. Throws where it has ended. */
export function readPeakMemory(pid) {
  return readStatus(pid, "VmHWM");
}

function readStatus(pid, name) {
  const found = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (found === null) throw new Error(`process ${pid} has ended`);
  return Number(found[1]) / 1024;
}
