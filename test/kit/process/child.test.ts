import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Child } from "../../../src/kit/process/child.ts";
import { createLifeline } from "../../../src/kit/process/lifeline.ts";
import { patienceMs } from "../../runner/patience.ts";
import { linux, requires } from "../../runner/requirements.ts";

/** Holds the program up until the process is over, and nobody has been told of it. */
function blockUntilOver(pid: number | undefined): void {
  const deadline = performance.now() + patienceMs;
  while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "))
    if (performance.now() > deadline) throw new Error(`The process ${pid} never ended.`);
}

function openLifeline(onHold: (pid: number) => void) {
  const lifeline = createLifeline(undefined);
  onTestFinished(() => lifeline.close());
  return {
    ...lifeline,
    hold(pid: number) {
      onHold(pid);
      lifeline.hold(pid);
    },
  };
}

test("the last words of a process are read, however busy the program is when it ends", requires(linux), async () => {
  let pid: number | undefined;
  const lifeline = openLifeline((held) => {
    pid = held;
  });
  const command = {
    command: "sh",
    args: ["-c", "read line; echo 'out of cheese' >&2; exit 3"],
    env: {},
    lastWordsMs: 1,
  };
  const child = new Child(command, lifeline);
  const other = spawn("sh", ["-c", "read line; echo done"], { stdio: ["pipe", "pipe", "ignore"] });
  // In one turn the program reads what the other has written, and then hears of all processes that are over by then. So it hears of
  // the end of this one before it has read its words.
  other.stdout.once("data", () => {
    child.stdin.write("\n");
    blockUntilOver(pid);
  });
  // Then it is held up for longer than it waits for the last words.
  other.once("exit", () => {
    const until = performance.now() + 5;
    while (performance.now() < until);
  });
  await Promise.all([once(other, "spawn"), setImmediate()]);
  other.stdin.write("\n");
  blockUntilOver(other.pid);
  expect(await child.ended).toEqual({ code: 3, signal: null });
  expect(child.words.toString()).toBe("out of cheese\n");
});
