import { expect, test } from "vitest";
import { createSavedRules, toSavedRule } from "../../../../src/app/questions/saved-rules.ts";
import { toUser } from "../../../../src/core/questions/user.ts";
import type { Approval } from "../../../../src/core/tools/tool.ts";
import { openTestChat } from "./test-chat.ts";

/** A chat in which somebody has allowed the calculator for the conversation, and saved two rules. */
async function openWithGrants(picks?: (string | undefined)[]) {
  const chat = await openTestChat({ picks, settings: { tools: { ask: ["calculator"] } } });
  await chat.ask("calculate 1 + 2", "agent");
  const asked: string[] = [];
  const approveCall = async ({ tool }: { tool: string }): Promise<Approval> => {
    asked.push(tool);
    return "conversation";
  };
  async function calculate() {
    const { conversation, duet } = chat;
    const { id: conversationId } = conversation;
    const user = toUser({ approveCall });
    for await (const _ of duet.ask({ question: "calculate 3 + 4", mode: "agent", conversationId, user }));
  }
  await calculate();
  const request = { tool: "send", arguments: { to: "a\u001b[2J" }, rule: "tools.ask: send", onlyOnce: false };
  for (const folder of ["/elsewhere", chat.folder]) {
    const rule = toSavedRule(request, { folder, review: { values: {}, parts: [] } });
    if (rule) await createSavedRules(chat.config.home, folder).add(rule);
  }
  return { chat, asked, calculate };
}

test("/permissions lists the rules, what this conversation has allowed, and what is saved", async () => {
  const { chat } = await openWithGrants();
  expect(await chat.type("/permissions")).toEqual([
    "Rules (configuration)",
    "  tools.deny   –",
    "  tools.allow  *",
    "  tools.ask    calculator",
    "This conversation",
    "  1. allowed calculator · tools.ask: calculator",
    "Saved, for this folder",
    '  2. send(to="a\\u001b[2J") · tools.ask: send',
    "Saved, for other folders",
    '  3. send(to="a\\u001b[2J") · tools.ask: send · /elsewhere',
  ]);
  chat.settings.locale = "zh";
  expect((await chat.type("/permissions")).slice(4, 6)).toEqual([
    "本次对话",
    "  1. 允许 calculator · tools.ask: calculator",
  ]);
});

test("/permissions revokes what is chosen, so that the next such call is asked about again", async () => {
  const { chat, asked, calculate } = await openWithGrants(["1. allowed calculator · tools.ask: calculator"]);
  await calculate();
  expect(asked).toHaveLength(1);
  expect(await chat.type("/permissions")).toContain("Revoked: allowed calculator · tools.ask: calculator");
  await calculate();
  expect(asked).toHaveLength(2);
  expect(await chat.type("/permissions revoke 2")).toEqual(['Revoked: send(to="a\\u001b[2J") · tools.ask: send']);
  expect(await createSavedRules(chat.config.home, "/").list()).toMatchObject([{ folder: "/elsewhere" }]);
  expect(await chat.type("/permissions revoke 7")).toEqual(['✗ There is no entry "7". Allowed: 1 to 2.']);
  expect(await chat.type("/permissions drop")).toEqual(['✗ Unknown argument "drop". Usage: /permissions [revoke N]']);
});
