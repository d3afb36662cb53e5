import { expect, test } from "vitest";
import { type ModelEvent, noUsage, toModelName } from "../../../src/core/model/model.ts";
import { createOfflineModel } from "../../../src/providers/offline/model.ts";
import { allTools, takeTurn } from "./turns.ts";

const model = createOfflineModel({ locale: "en" });

test("it is named offline/rules and uses no tokens", async () => {
  const { usage } = await takeTurn([{ role: "user", content: "help" }]);
  expect(toModelName(model)).toBe("offline/rules");
  expect(usage).toEqual(noUsage);
});

test("a call turn holds a short thought and one call whose text and arguments agree", async () => {
  const { message, finish, pieces } = await takeTurn([{ role: "user", content: "计算 [1,2,3,4,5] 的平均值" }]);
  expect(finish).toBe("tool-calls");
  expect(pieces.join("")).toBe("用 calculator 计算 [1,2,3,4,5] 的平均值。");
  const [call] = message.toolCalls;
  expect(JSON.parse(call?.argumentsText ?? "")).toEqual(call?.arguments);
});

test("an answer streams in pieces that make up the message", async () => {
  const { message, finish, pieces } = await takeTurn([{ role: "user", content: "help" }]);
  expect(finish).toBe("stop");
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.join("")).toBe(message.content);
});

test("a question without letters is answered in the configured language", async () => {
  const { message } = await takeTurn([{ role: "user", content: "!!!" }], allTools, model);
  expect(message.content).toContain("not a language model");
});

test("the same request gives the same turn", async () => {
  const messages = [{ role: "user" as const, content: "echo a, then echo b" }];
  expect(await takeTurn(messages)).toEqual(await takeTurn(messages));
});

test("an aborted signal rejects with its reason, before and in the middle", async () => {
  const reason = new Error("stop");
  const request = { messages: [{ role: "user" as const, content: "help" }], tools: allTools };
  await expect(model.call(request, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const events: ModelEvent[] = [];
  const stopAtFirst = (event: ModelEvent): void => {
    events.push(event);
    controller.abort(reason);
  };
  await expect(model.stream(request, stopAtFirst, controller.signal)).rejects.toBe(reason);
  expect(events).toMatchObject([{ type: "text-delta" }]);
});
