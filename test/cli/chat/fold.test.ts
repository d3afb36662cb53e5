import { expect, test } from "vitest";
import { startTerminal } from "../../fakes/terminal.ts";
import { openChatTerminal } from "./open-chat.ts";

test("once /fold has folded the steps, the status line no longer says that Esc stops", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script(
    "only",
    { toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
    { text: "It is 42." },
  );
  const args = ["--mode", "agent", "--locale", "en", "--config", `${chatTerminal.home}/duet.config.json`];
  const terminal = await startTerminal(args, { cwd: chatTerminal.cwd, env: chatTerminal.env });
  await terminal.stands("Agent mode >");
  terminal.type("What is 6*7?\r");
  await terminal.stands("It is 42.");
  await terminal.hides("Esc stops");
  terminal.type("/fold\r");
  await terminal.stands("folded (/fold opens)");
  await terminal.hides("Esc stops");
  terminal.type("/exit\r");
  expect(await terminal.ended()).toBe(0);
});
