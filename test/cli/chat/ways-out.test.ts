import { expect, test } from "vitest";
import { isGivenBack, openChatTerminal } from "./open-chat.ts";

const modules = {
  "loud.mjs": `import process from "node:process";
export default {
  name: "loud", description: "Writes to the terminal.", inputSchema: { type: "object" },
  async run() {
    console.log("\\u001b]52;c;ZXZpbA==\\u0007heard \\u001b[2J");
    console.error("on stderr");
    process.stdout.write("without an ");
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write("end\\n");
    return "It has said all that it had to say.";
  },
};`,
  "quitter.mjs": `import process from "node:process";
export default {
  name: "quitter", description: "Ends the program.", inputSchema: { type: "object" }, run() { process.exit(7); },
};`,
  "thrower.mjs": `export default {
  name: "thrower", description: "Throws where nobody catches.", inputSchema: { type: "object" },
  run() { setTimeout(() => { throw new Error("thrown aside"); }, 0); return new Promise(() => {}); },
};`,
};

test("SIGTERM in the middle of an answer gives the terminal back", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script("only", { text: "Half of", hang: "after-text" });
  const terminal = await chatTerminal.open();
  terminal.type("Go\r");
  await terminal.stands("Half of");
  terminal.type("half typed");
  await terminal.stands("half typed");
  await terminal.signal("SIGTERM");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);
  expect(terminal.scrollback().join("\n")).toContain("Half of");
});

test("a tool of the user's that would end the process ends alone: the chat says who did it and goes on", async () => {
  const chatTerminal = await openChatTerminal({ tools: modules });
  chatTerminal.provider.script("only", { toolCalls: [{ name: "quitter", arguments: {} }] }, { text: "It quit." });
  const terminal = await chatTerminal.open(["--mode", "agent"]);
  terminal.type("Go\r");
  await terminal.stands("quitter.mjs ended: it called process.exit(7).");
  await terminal.stands("tok in total");
  expect(terminal.rows().join("\n")).toContain("It quit.");
  terminal.type("/exit\r");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);
});

test("what a tool of the user's writes or throws aside comes as finished, cleaned lines, and the chat goes on", async () => {
  const chatTerminal = await openChatTerminal({ tools: modules });
  chatTerminal.provider.script(
    "only",
    { toolCalls: [{ name: "loud", arguments: {} }] },
    { text: "Well heard." },
    { toolCalls: [{ name: "thrower", arguments: {} }] },
    { text: "It was caught." },
  );
  const terminal = await chatTerminal.open(["--mode", "agent"]);
  terminal.type("Go\r");
  await terminal.stands("Well heard.");
  await terminal.shows("tok in total");
  terminal.type("Go on\r");
  await terminal.stands("thrower.mjs ended: nothing caught its error: Error: thrown aside.");
  await terminal.stands("It was caught.");
  await terminal.repeats("tok in total", 2);
  terminal.type("still in one piece");
  await terminal.stands("> still in one piece");
  const lines = ["\\u{1b}]52;c;ZXZpbA==\\u{7}heard \\u{1b}[2J", "on stderr", "without an end"];
  expect(terminal.rows().filter((row) => lines.includes(row.trimEnd()))).toEqual(lines);
  expect(terminal.scrollback().join("\n")).not.toMatch(/\n\s+at /);
  terminal.press("ctrl-c");
  await terminal.hides("in one piece");
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);
});
