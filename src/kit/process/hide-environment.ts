import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Matches variables that say how programs run and hold no secrets. Libraries may have kept where they stand. */
const ordinary =
  /^(HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|TMPDIR|TZ|PWD|OLDPWD|SHLVL|_|(LC|LD|NODE|XDG|GLIBC|MALLOC|UV)_.*)$/;

/** Counts the fields of `/proc/self/stat` between the program's name and `env_start`, and `env_end` (proc(5)). */
const [startField, endField] = [47, 48];

/**
 * Erases our variables where other processes of the same user read them: `/proc/PID/environ` shows the memory in which the system
 * handed them over at the start, and nothing reads it any more once each variable has been set anew. Works on Linux alone; on
 * other systems, and where our own memory cannot be written, all stays as it was. The variables of the process are the same
 * afterwards.
 */
export function hideEnvironment({ env: environment }: Pick<NodeJS.Process, "env">): void {
  if (process.platform !== "linux") return;
  let memory: number | undefined;
  try {
    const area = findArea();
    if (area === undefined) return;
    memory = openSync("/proc/self/mem", "r+");
    for (const { name, value, at } of listEntries(area.bytes)) {
      if (!ordinary.test(name)) eraseValue({ memory, environment }, name, value, area.start + at);
    }
  } catch {
    // A sandbox may forbid it. docs/development/security.md says what this is for, and where it does not work.
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

interface Area {
  /** Is the address of the first byte. */
  start: number;
  bytes: Buffer;
}

function findArea(): Area | undefined {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [start, end] = [Number(fields[startField]), Number(fields[endField])];
  const bytes = readFileSync("/proc/self/environ");
  return start > 0 && bytes.length <= end - start ? { start, bytes } : undefined;
}

interface Entry {
  name: string;
  value: Buffer;
  /** Is the place of the value's first byte. */
  at: number;
}

interface OwnMemory {
  /** Is the descriptor of our own memory. */
  memory: number;
  environment: NodeJS.ProcessEnv;
}

function* listEntries(bytes: Buffer): Generator<Entry> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(0, from);
    const end = found < 0 ? bytes.length : found;
    const equals = bytes.indexOf("=", from);
    if (equals > from && equals < end) {
      yield { name: bytes.toString("utf8", from, equals), value: bytes.subarray(equals + 1, end), at: equals + 1 };
    }
    from = end + 1;
  }
}

function eraseValue({ memory, environment }: OwnMemory, name: string, value: Buffer, address: number): void {
  const text = environment[name];
  // One that has been changed since stands elsewhere, too; one that is not UTF-8 could not be set anew.
  if (text === undefined || value.length === 0 || !Buffer.from(text).equals(value)) return;
  environment[name] = text;
  writeSync(memory, Buffer.alloc(value.length), 0, value.length, address);
  // A library that sets a variable in its old place would have lost it.
  if (environment[name] !== text) writeSync(memory, value, 0, value.length, address);
}
