import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../fakes/program.ts";
import { openChatTerminal } from "./open-chat.ts";

const calculate = (expression: string) => ({ name: "calculator", arguments: { expression } });
const calls = ["1+1", "2+2", "3+3", "4+4", "5+5", "6+6"].map(calculate);

test("one key carries the history over after a switch, and another goes on with a run that reached its limit", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script(
    "only",
    { text: "Paris." },
    { toolCalls: calls },
    { text: "Five of the six." },
    { toolCalls: [calculate("6+6")] },
    { text: "All six." },
  );
  const terminal = await chatTerminal.open();
  terminal.type("The capital of France?\r");
  await terminal.stands("Paris.");
  terminal.type("/mode agent\r");
  await terminal.stands("Switched to Agent mode; the history is cleared.");
  await terminal.stands("Ctrl-G carries the history over.");
  terminal.press("ctrl-g");
  await terminal.stands("The history is carried over.");
  terminal.type("Add them\r");
  await terminal.stands("20 raises it.");
  await terminal.stands("Ctrl-G goes on from here, with the limits counted anew.");
  const shown = terminal.scrollback().join("\n");
  expect(shown.match(/limit of tool calls was reached/g)).toHaveLength(1);
  expect(JSON.stringify(chatTerminal.provider.journal.at(-1)?.body.messages)).toContain("The capital of France?");
  terminal.press("ctrl-g");
  await terminal.stands("All six.");
  expect(chatTerminal.lastQuestion()).toContain("6+6 = 12");
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);

  const later = await chatTerminal.open();
  later.type("/resume\r");
  await later.stands("The capital of France?");
  later.press("down");
  await later.stands("❯ The capital of France?");
  later.press("enter");
  await later.stands("In the mode of this conversation: Agent mode");
  await later.stands("Agent mode >");
  later.press("ctrl-d");
  expect(await later.ended()).toBe(0);
});

test("a conversation that is opened again offers to go on with its last run, which reached a limit in another process", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script(
    "only",
    { toolCalls: calls },
    { text: "Five of the six." },
    { toolCalls: [calculate("6+6")] },
    { text: "All six." },
  );
  const terminal = await chatTerminal.open(["--mode", "agent"]);
  terminal.type("Add them\r");
  await terminal.stands("Ctrl-G goes on from here");
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);
  const later = await chatTerminal.open(["-c"]);
  await later.stands("Ctrl-G goes on from here, with the limits counted anew.");
  later.type("/continue\r");
  await later.stands("All six.");
  expect(chatTerminal.lastQuestion()).toContain("6+6 = 12");
  later.press("ctrl-d");
  expect(await later.ended()).toBe(0);
});

test("/continue in piped input goes on with the limited run of an earlier process, which is not shown before", async () => {
  const { provider, home, cwd, env, lastQuestion } = await openChatTerminal();
  provider.script(
    "only",
    { toolCalls: calls },
    { text: "Five of the six." },
    { toolCalls: [calculate("6+6")] },
    { text: "All six." },
  );
  const args = ["chat", "--mode", "agent", "--config", join(home, "duet.config.json")];
  const first = await runProgram(args, { env, cwd, stdin: "Add them\n" });
  expect(first.stdout).toContain("Five of the six.");
  const later = await runProgram([...args, "-c"], { env, cwd, stdin: "/continue\n" });
  expect(later.stdout).toBe("All six.\n");
  expect(lastQuestion()).toContain("6+6 = 12");
});

test("Enter says something to the run that works, Tab leaves it for later, and what comes too late is asked after the run", async () => {
  const chatTerminal = await openChatTerminal();
  const release = Promise.withResolvers<void>();
  chatTerminal.provider.script(
    "only",
    { reasoning: "Hm.", thinkUntil: release.promise, toolCalls: [calculate("1+1")] },
    { text: "Deux." },
    { text: "Later." },
  );
  const terminal = await chatTerminal.open(["--mode", "agent"]);
  terminal.type("Add\r");
  await terminal.stands("Hm.");
  terminal.type("in French\r");
  await terminal.stands("✉ in French");
  terminal.type("and then?\t");
  await terminal.stands("⏳ and then?");
  release.resolve();
  await terminal.stands("Later.");
  const shown = terminal.scrollback().join("\n");
  expect(shown).toContain("ℹ Passed on: in French");
  const [, second, third] = chatTerminal.provider.requests("only").map(({ body }) => JSON.stringify(body.messages));
  expect(second).toContain("in French");
  expect(second).not.toContain("and then?");
  expect(third).toContain("and then?");
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);
});
