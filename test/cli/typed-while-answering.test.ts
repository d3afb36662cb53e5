import { expect, onTestFinished, test } from "vitest";
import { startFakeProvider } from "../fakes/provider.ts";
import { startTerminal } from "../fakes/terminal.ts";

const text = "These **words** stand on the screen of a slow model, and no key doubles them.";

test.each([
  ["an answer that grows", ["--mode", "chat"], "These words stand on the screen"],
  ["a draft", ["--mode", "agent"], "… These **words** stand on the screen"],
])("an Enter that is typed in the meantime leaves no copy of %s, also within tmux", async (_, args, shown) => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const end = Promise.withResolvers<void>();
  provider.script("slow", { text, hang: "after-text", until: end.promise });
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "slow", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
    TMUX: "/tmp/tmux-0/default,1,0",
  };
  const terminal = await startTerminal(["ask", "Hi", ...args], { env, echoes: true });
  await terminal.stands(shown);
  // Lines are kept for the shell, and Ctrl-C interrupts: only the echo is off.
  expect(await terminal.modes()).toEqual(expect.arrayContaining(["-echo", "icanon", "isig"]));
  terminal.type("next\r\r");
  // The terminal has all of it before the echo is turned on again: whoever reads next, as the shell, would get it.
  expect([await terminal.takeLine(), await terminal.takeLine()]).toEqual(["next\n", "\n"]);
  end.resolve();
  expect(await terminal.ended()).toBe(0);
  const lines = terminal.scrollback().join("\n");
  expect(lines.split("on the screen").length - 1).toBe(1);
  expect(lines).not.toContain("next");
});
