import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { hasProcessGroups, killTree, toTreeKill } from "../../../src/kit/process/process-tree.ts";

test("a process tree is one group everywhere but on Windows", () => {
  const platforms = ["aix", "darwin", "freebsd", "linux", "openbsd", "sunos", "win32"] as const;
  expect(platforms.filter((platform) => !hasProcessGroups(platform))).toEqual(["win32"]);
});

test.each([
  [{ SYSTEMROOT: "D:\\Win" }, "D:\\Win\\System32\\taskkill.exe"],
  [{ SYSTEMROOT: "" }, "C:\\Windows\\System32\\taskkill.exe"],
  [{}, "C:\\Windows\\System32\\taskkill.exe"],
])("on Windows it is ended by the system's own taskkill, wherever the system lies: %j", (environment, file) => {
  expect(toTreeKill(4711, environment)).toEqual([file, "/pid", "4711", "/t", "/f"]);
});

test("the command that ends a tree is run, and one that is missing or never ends holds nobody up", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const { pid = 0 } = child;
  await killTree(["/nowhere/taskkill.exe", String(pid)]);
  expect(child.exitCode).toBeNull();
  await killTree([process.execPath, "-e", "setInterval(() => {}, 1000)"]);
  expect(child.signalCode).toBeNull();
  await killTree([process.execPath, "-e", `process.kill(${pid}, "SIGKILL")`]);
  expect(await ended).toEqual([null, "SIGKILL"]);
});
