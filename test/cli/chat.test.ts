import { describe, expect, test } from "vitest";
import { startProgram, temporaryFolder } from "../fakes/program.ts";
import { startTerminal } from "../fakes/terminal.ts";

describe("duet chat in a terminal", () => {
  test("greets with the mode, answers, helps, switches modes and leaves", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder() });
    await terminal.shows("Agent mode > ");
    terminal.type("计算 [1,2,3,4,5] 的平均值\r");
    await terminal.shows("平均值是 3。");
    terminal.type("/help\r");
    await terminal.shows("/mode chat|agent");
    terminal.type("/mode chat\r");
    await terminal.shows("Switched to Chat mode; the history is cleared.");
    await terminal.shows("Chat mode > ");
    terminal.type("/nonsense\r");
    await terminal.shows("There is no /nonsense.");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("Ctrl-D leaves", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder() });
    await terminal.shows("> ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  test("DEFAULT_MODE chooses the mode in which it starts", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder(), env: { DEFAULT_MODE: "chat" } });
    await terminal.shows("Chat mode > ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });
});

test("a pipe that closes early ends the program quietly", async () => {
  const child = await startProgram(["tools"]);
  child.stdout.destroy();
  child.stdin.end();
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(stderr).toBe("");
});
