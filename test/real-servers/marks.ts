// Finds the processes of a test by a variable in their environment, which children and grandchildren inherit. Linux only.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { vi } from "vitest";

const variable = "DUET_TEST_MARK";

export interface Marks {
  /** Marks what is started with this environment. */
  env(name: string): Record<string, string>;
  /** The numbers of the processes that live, by the name of their mark. */
  living(): Map<string, number[]>;
  /** Settles when for each of the names there is a process. */
  appear(names: readonly string[]): Promise<void>;
  /** Settles when no process is left. */
  vanish(): Promise<void>;
}

export function createMarks(): Marks {
  const id = randomUUID();
  const begin = `${variable}=${id}:`;

  function living(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const pid of processes()) {
      const entry = read(`/proc/${pid}/environ`)
        .split("\0")
        .find((each) => each.startsWith(begin));
      if (entry === undefined || hasEnded(pid)) continue;
      const name = entry.slice(begin.length);
      found.set(name, [...(found.get(name) ?? []), pid]);
    }
    return found;
  }

  return {
    env: (name) => ({ [variable]: `${id}:${name}` }),
    living,
    appear: (names) =>
      vi.waitFor(
        () => {
          // Every look reads the environment of all processes of this machine.
          const found = living();
          const missing = names.filter((name) => !found.has(name));
          if (missing.length > 0) throw new Error(`Not there yet: ${missing.join(", ")}`);
        },
        { timeout: 60_000, interval: 100 },
      ),
    vanish: () =>
      vi.waitFor(
        () => {
          const left = [...living()].map(([name, pids]) => `${name} ${pids}`);
          if (left.length > 0) throw new Error(`Still there: ${left.join("; ")}`);
        },
        { timeout: 60_000, interval: 50 },
      ),
  };
}

/** All that a process has started, and what those have started. */
export function descendantsOf(ancestor: number): number[] {
  const parents = new Map(processes().map((pid) => [pid, parentOf(pid)]));
  const found = new Set([ancestor]);
  // A child may be listed before its parent.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
  found.delete(ancestor);
  return [...found];
}

function processes(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** The state and what follows it; the name before may hold anything. */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
}

function parentOf(pid: number): number | undefined {
  const parent = Number(statOf(pid)[1]);
  return Number.isInteger(parent) ? parent : undefined;
}

/** Whether it only waits for its parent to look at it. */
function hasEnded(pid: number): boolean {
  return /^[ZX]?$/.test(statOf(pid)[0] ?? "");
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
