import { execFileSync } from "node:child_process";

export interface ProcessRow {
  pid: number;
  parent: number;
  command: string;
}

/** All processes of this machine. */
export function processes(): ProcessRow[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** The children of a process that do heavy work. */
export function workersOf(parent: number): number[] {
  return processes().flatMap((row) => (row.parent === parent && row.command.includes("heavy-worker") ? [row.pid] : []));
}

/** The dead that nobody has looked at yet have no command any more. */
export function isAlive(pid: number): boolean {
  return processes().some((row) => row.pid === pid && !/<defunct>|^\(/.test(row.command));
}
