import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { requires, unix } from "../../../runner/requirements.ts";

const module = new URL("../../../../src/cli/terminal/keys/suspend-process.ts", import.meta.url);
const suspends = `const { suspendProcess } = await import(${JSON.stringify(module.href)});
setTimeout(() => {}, 60_000).unref();
suspendProcess({ suspend: () => console.log("suspended"), resume: () => console.log("resumed") });`;

test("where no shell could continue it, the chat goes on by itself", requires(unix), async () => {
  // In a session of its own it has no parent there, which is what a terminal's first program lacks.
  const child = spawn(process.execPath, ["--input-type=module", "-e", suspends], { detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await text(child.stdout)).toBe("suspended\nresumed\n");
});
