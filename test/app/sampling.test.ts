import { afterEach, expect, test, vi } from "vitest";
import { createSample } from "../../src/app/open-duet.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { SamplingRequest } from "../../src/core/model/sampling.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { type ScriptedTurn, scriptedModel } from "../fakes/model.ts";

afterEach(() => {
  vi.useRealTimers();
});

const request: SamplingRequest = {
  from: "writer",
  system: "You obey the server.",
  messages: [
    { role: "user", text: "Name a colour." },
    { role: "assistant", text: "Red." },
    { role: "user", text: "Another." },
  ],
  maxTokens: 50,
};

function writer(turn: ScriptedTurn, more: Partial<Model> = {}) {
  const model = scriptedModel([turn]);
  const sample = createSample(async () => ({ functionCall: { ...model, ...more } }));
  const stop = new AbortController();
  return { model, stop, write: () => sample(request, stop.signal) };
}

test("the function-call model writes: without tools, and a server's system prompt is none of ours", async () => {
  const { model, write } = writer("Blue.", { cost: () => 0.002 });
  expect(await write()).toEqual({
    text: "Blue.",
    model: "fake/scripted",
    finish: "stop",
    tokens: 20,
    costUsd: 0.002,
  });
  expect(model.requests).toEqual([
    {
      tools: [],
      maxTokens: 50,
      run: { id: expect.stringMatching(/^sampling-/), leftMs: expect.any(Function) },
      messages: [
        { role: "user", content: "You obey the server." },
        { role: "user", content: "Name a colour." },
        { role: "assistant", content: "Red.", toolCalls: [] },
        { role: "user", content: "Another." },
      ],
    },
  ]);
});

test("a text that was cut off says so, and an unknown price stays unknown", async () => {
  const { write } = writer({ text: "Blu", finish: "length" });
  expect(await write()).toMatchObject({ text: "Blu", finish: "length", costUsd: null });
});

test.each(["refused", "content-filter", "tool-calls"] as const)(
  "a turn that ends with %s is no text",
  async (finish) => {
    await expect(writer({ text: "Blu", finish }).write()).rejects.toBeInstanceOf(DuetError);
  },
);

test("the rules that need no network write nothing for servers", async () => {
  const { write, model } = writer("x", { followsPrompts: false });
  await expect(write()).rejects.toMatchObject({ code: "config" });
  expect(model.requests).toEqual([]);
});

test("a model that hangs is left after a minute, and at once when the caller is gone", async () => {
  const gone = writer({ hang: true });
  const waiting = gone.write();
  gone.stop.abort(new Error("the call is over"));
  await expect(waiting).rejects.toThrow("the call is over");
  vi.useFakeTimers();
  const slow = expect(writer({ hang: true }).write()).rejects.toMatchObject({ code: "timeout" });
  await vi.advanceTimersByTimeAsync(60_000);
  await slow;
});
