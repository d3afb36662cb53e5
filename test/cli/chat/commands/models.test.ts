import { expect, test } from "vitest";
import { toModelName } from "../../../../src/core/model/model.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { finishedRun } from "../../../store/runs.ts";
import { openTestChat, type TestChat } from "./test-chat.ts";

const providers = { fake: { baseUrl: "http://127.0.0.1:1/v1", prices: { small: { input: 1, output: 1 } } } };
const one = { settings: { providers, models: { functionCall: { provider: "fake", model: "big" } } } };
const two = {
  settings: {
    providers,
    models: { functionCall: { provider: "fake", model: "big" }, answer: { provider: "fake", model: "fine" } },
  },
};

async function inForce({ duet, settings }: TestChat): Promise<string[]> {
  const { functionCall, answer } = await duet.models.open(settings.models);
  return functionCall === answer ? [toModelName(answer)] : [toModelName(functionCall), toModelName(answer)];
}

async function begun(chat: TestChat): Promise<TestChat> {
  await (await chat.duet.store()).append(finishedRun("conv-begun", "One?", "Yes."));
  await chat.conversation.resume("conv-begun", new AbortController().signal);
  return chat;
}

test("/model changes the model, clears the history and says so", async () => {
  const chat = await begun(await openTestChat(one));
  expect(await chat.type("/model fake/other")).toEqual(["Switched to fake/other; the history is cleared."]);
  expect([await inForce(chat), chat.conversation.id, chat.refreshed]).toEqual([["fake/other"], undefined, 1]);
  chat.settings.locale = "zh";
  expect(await chat.type("/model fake/big")).toEqual(["已切换到模型 fake/big，对话历史已清除。"]);
});

const taken: [typed: string, name: string][] = [
  ["deepseek-reasoner", "deepseek/deepseek-reasoner"],
  ["deepseek-chat", "deepseek/deepseek-chat"],
  ["DeepSeek-Reasoner", "deepseek/deepseek-reasoner"],
  ['{"provider":"fake","model":"small","temperature":0.1}', "fake/small"],
  ["offline", "offline/rules"],
];

test("/model takes a name, the bare name of a variant of DeepSeek's, the JSON, and the offline rules", async () => {
  const chat = await openTestChat(one);
  for (const [typed, name] of taken) {
    chat.settings.models = {};
    expect(await chat.type(`/model ${typed}`)).toEqual([`Switched to ${name}; the history is cleared.`]);
  }
});

test("a model that cannot be is refused in one line, and the old one and its conversation stay", async () => {
  const chat = await begun(await openTestChat(one));
  const [line, ...more] = await chat.type("/model nobody/x");
  expect(line).toContain('function_call.provider: "nobody" is not allowed (allowed: deepseek,');
  expect([more, await inForce(chat), chat.conversation.id]).toEqual([[], ["fake/big"], "conv-begun"]);
  expect((await chat.type("/model deepseek-nonsense")).join()).toContain(
    '"deepseek-nonsense" is not allowed (allowed:',
  );
});

test("the model that is already in use changes nothing", async () => {
  const chat = await begun(await openTestChat(one));
  expect(await chat.type("/model fake/big")).toEqual(["fake/big is already in use; nothing changed."]);
  expect(chat.conversation.id).toBe("conv-begun");
});

test("/model without an argument lists what can be chosen, the one in force first, and takes what is picked", async () => {
  const chat = await openTestChat({ ...one, picks: ["offline", undefined, "offline"] });
  // Nobody answers at the address of this vendor.
  const unlisted = expect.stringMatching(/^The list of fake's models is not available, so the known ones are shown: /);
  expect(await chat.type("/model")).toEqual([unlisted, "Switched to offline/rules; the history is cleared."]);
  expect(chat.shown[0]).toMatchObject({ title: "🤖 Model", chosen: "fake/big" });
  expect(chat.shown[0]?.labels[0]).toBe("fake/big");
  expect(await chat.type("/model")).toEqual([unlisted]);
  expect(await chat.type("/model")).toEqual([unlisted, "offline/rules is already in use; nothing changed."]);
});

test("where nobody can be asked, the list and the usage are told", async () => {
  const lines = await (await openTestChat(one)).type("/model");
  expect(lines).toEqual(expect.arrayContaining(["🤖 Model", "  fake/big · current", "  offline"]));
  expect(lines.at(-1)).toContain("/model [provider/model]");
});

test("with two models each command says which role it has changed", async () => {
  const chat = await openTestChat(two);
  expect(await chat.type("/model fake/small")).toEqual([
    "Switched to fake/small; the history is cleared. (It calls the tools; fake/fine answers: /answer-model changes that.)",
  ]);
  expect(await chat.type("/answer-model fake/big")).toEqual([
    "Switched to fake/big; the history is cleared. (It answers; fake/small calls the tools: /model changes that.)",
  ]);
  expect(await inForce(chat)).toEqual(["fake/small", "fake/big"]);
  expect(await chat.type("/answer-model same")).toEqual(["Switched to fake/small; the history is cleared."]);
  expect(await inForce(chat)).toEqual(["fake/small"]);
});

test("/answer-model without an argument offers the one model for both parts too", async () => {
  const chat = await openTestChat({ ...two, picks: ["same", "fake/fine"] });
  await chat.type("/answer-model");
  expect(chat.shown[0]).toMatchObject({ title: "🤖 Answer model", chosen: "fake/fine" });
  expect(chat.shown[0]?.labels.slice(0, 2)).toEqual(["same", "fake/fine"]);
  expect(await inForce(chat)).toEqual(["fake/big"]);
  await chat.type("/answer-model");
  expect(chat.shown[1]).toMatchObject({ chosen: "same" });
  expect(await inForce(chat)).toEqual(["fake/big", "fake/fine"]);
});

test("/compact puts the earlier turns into a summary, says what that saved, and bills it", async () => {
  const model = scriptedModel([`One.${" word".repeat(200)}`, "Two.", "The summary."]);
  const chat = await openTestChat({ parts: { models: { functionCall: model, alone: true } } });
  expect((await chat.type("/compact")).join()).toContain("the conversation has not started");
  await chat.ask("One?", "chat");
  expect((await chat.type("/compact")).at(-1)).toContain("the conversation has 1 turn (at least 2 are needed)");
  await chat.ask("Two?", "chat");
  const { refreshed } = chat;
  const [said, bill] = (await chat.type("/compact")).slice(-2);
  expect(chat.refreshed).toBe(refreshed + 1);
  expect(said).toMatch(/^Compacted: 2 turns → a summary and 1 turn, about \d+ → \d+ tokens\.$/);
  expect(bill).toMatch(/^summary fake\/scripted ×1 10→10 tok · 20 tok in total/);
  expect(chat.bill.renderLines("en").at(-1)).toContain("60 tok");
});
