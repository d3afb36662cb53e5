import { expect, test } from "vitest";
import { mostRunImages } from "../../../src/agent/tools/result-images.ts";
import { toParts, toPlainText } from "../../../src/core/model/message-content.ts";
import type { ModelRequest } from "../../../src/core/model/model.ts";
import type { ToolResult } from "../../../src/core/tools/tool.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { images, toPngChunk } from "../../fakes/images.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const shoot = [{ id: "1", name: "shoot", input: {} }];

/** A picture that no other number gives: its colours are not the same. */
function picture(number: number): Buffer {
  const size = Buffer.alloc(9);
  size.writeUInt32BE(number + 1, 0);
  return Buffer.concat([images.png.subarray(0, 33), toPngChunk("pHYs", size), images.png.subarray(33)]);
}

function countImages(request: ModelRequest | undefined): number {
  return (request?.messages ?? []).flatMap(({ content }) => toParts(content)).filter(({ type }) => type === "image")
    .length;
}

test("a run shows its models so many images of tools and no more, and says in the result which it does not show", async () => {
  let made = 0;
  const tool = makeTool("shoot", (): ToolResult => {
    return { ok: true, text: `shots ${made}`, images: Array.from({ length: 8 }, () => picture(made++)) };
  });
  const functionCall = { ...scriptedModel([shoot, shoot, shoot, "Enough."]), contextWindow: 1_000_000 };
  const answer = { ...scriptedModel(["Seen."]), contextWindow: 1_000_000 };
  await runAll({ models: { functionCall, answer }, tools: [tool], limits: { repeatable: ["*"] } });
  expect(functionCall.requests.map(countImages)).toEqual([0, 8, 16, mostRunImages]);
  expect(countImages(answer.requests[0])).toBe(mostRunImages);
  const last = functionCall.requests[3]?.messages.at(-1)?.content ?? "";
  expect(toPlainText(last, "en")).toContain(`(An image is not shown: a run shows at most ${mostRunImages} images.)`);
});

test("a damaged image costs itself alone, and base64 in a tool's text is named", async () => {
  const base64 = images.jpeg.toString("base64");
  const tool = makeTool("shoot", () => {
    return {
      ok: true,
      text: `done data:image/jpeg;base64,${base64}`,
      images: [images.png.subarray(0, 40), images.gif],
    };
  });
  const model = scriptedModel([shoot, "A gif."]);
  const events = await runAll({ models: { functionCall: model, answer: model }, tools: [tool] });
  expect(countImages(model.requests[1])).toBe(1);
  const told = JSON.stringify([events, outcomeOf(events), model.requests]);
  expect(told).not.toContain(base64.slice(0, 60));
  expect(told).toContain("done [image: image/jpeg, ");
  expect(told).toContain("An image is not shown: the image is damaged or incomplete.");
});

test("the next turn sees the last four images again where its window has the space, and reads the bytes of its own conversation", async () => {
  const store = createMemoryStore();
  let made = 0;
  const tool = makeTool("shoot", (): ToolResult => {
    return { ok: true, text: `shots ${made}`, images: Array.from({ length: 6 }, () => picture(made++)) };
  });
  const first = scriptedModel([shoot, "Six."]);
  const events = await runAll({ store, models: { functionCall: first, answer: first }, tools: [tool] });
  const { conversation_id: conversationId } = outcomeOf(events);
  const small = scriptedModel(["Three."]);
  await runAll({ store, conversationId, models: { functionCall: small, answer: small } });
  expect(countImages(small.requests[0])).toBe(3);
  expect(JSON.stringify(small.requests[0])).toContain("[image: image/png, 24×16, not attached again]");
  const next = { ...scriptedModel(["Four."]), contextWindow: 1_000_000 };
  await runAll({ store, conversationId, models: { functionCall: next, answer: next } });
  expect(countImages(next.requests[0])).toBe(4);
  expect(next.requests[0]?.files).toBeDefined();
  const [turn] = (await store.load(conversationId))?.turns ?? [];
  const hashes = turn?.images?.map(({ image }) => image.hash) ?? [];
  expect(hashes).toHaveLength(4);
  for (const hash of hashes) expect(await store.readFile({ conversationId, hash })).toBeDefined();
});
