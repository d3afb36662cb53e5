import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createAnswers } from "../../../src/client/questions/answers.ts";
import { createServerRedact } from "../../../src/client/redact.ts";
import type { Sample, SamplingRequest } from "../../../src/core/model/sampling.ts";
import type { Text } from "../../../src/kit/locale.ts";
import { stdio } from "../servers.ts";

const settings = stdio("writer", "node", [], { sampling: true, env: { WRITER_KEY: "sk-SECRET-12345" } });
const signal = new AbortController().signal;
const message = (text: string, role = "user") => ({ role, content: { type: "text", text } });
const asked = { messages: [message("Write.")], maxTokens: 100 };

function writer(sample?: Sample) {
  const requests: SamplingRequest[] = [];
  const writing: Sample = async (request, stop) => {
    requests.push(request);
    if (sample) return sample(request, stop);
    return { text: "Written.", model: "fake/cheap", finish: "stop", tokens: 20, costUsd: 0.001 };
  };
  const answers = createAnswers({ settings, sample: writing, redact: createServerRedact(settings) });
  return {
    requests,
    write: (params: unknown = asked) => answers("sampling/createMessage", params, { signal }),
    answers,
  };
}

describe("a text for a server", () => {
  test("is written by the model, and the reader is told what it took", async () => {
    const { answers, requests } = writer();
    const told: [string, Text][] = [];
    const tell = (code: string, text: Text): void => void told.push([code, text]);
    const params = { ...asked, systemPrompt: "Be brief.", includeContext: "allServers", temperature: 0 };
    expect(await answers("sampling/createMessage", params, { signal, tell })).toEqual({
      role: "assistant",
      content: { type: "text", text: "Written." },
      model: "fake/cheap",
      stopReason: "endTurn",
    });
    expect(requests).toEqual([
      { from: "writer", system: "Be brief.", messages: [{ role: "user", text: "Write." }], maxTokens: 100 },
    ]);
    expect(told).toEqual([
      [
        "sampling",
        expect.objectContaining({
          en: "fake/cheap has written a text for the MCP server writer · 20 tokens · $0.0010",
        }),
      ],
    ]);
  });

  test("takes several blocks, names what is no text, and tells our provider none of the server's secrets", async () => {
    const { write, requests } = writer();
    const content = [
      { type: "text", text: "Key sk-SECRET-12345" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
    ];
    await write({ messages: [{ role: "user", content }], maxTokens: 1_000_000 });
    expect(requests[0]).toMatchObject({
      messages: [{ role: "user", text: "Key [redacted WRITER_KEY]\n[image: image/png]" }],
      maxTokens: 4000,
    });
  });

  test.each([
    ["no messages", { maxTokens: 10 }],
    ["an empty list", { messages: [], maxTokens: 10 }],
    ["51 messages", { messages: Array.from({ length: 51 }, () => message("x")), maxTokens: 10 }],
    ["too many characters", { messages: [message("x".repeat(100_001))], maxTokens: 10 }],
    ["an assistant's word last", { messages: [message("a"), message("b", "assistant")], maxTokens: 10 }],
    ["a system message", { messages: [message("a", "system")], maxTokens: 10 }],
    ["no limit of tokens", { messages: [message("a")] }],
    ["tools", { ...asked, tools: [] }],
    ["a choice of tools", { ...asked, toolChoice: { mode: "required" } }],
    ["a tool's result", { messages: [{ role: "user", content: { type: "tool_result", content: [] } }], maxTokens: 10 }],
    ["a system prompt that is no text", { ...asked, systemPrompt: {} }],
  ])("is refused with %s, and no model is asked", async (_, params) => {
    const { write, requests } = writer();
    await expect(write(params)).rejects.toMatchObject({ code: -32602 });
    expect(requests).toEqual([]);
  });

  test("is written five times a minute at most", async () => {
    const { write, requests } = writer();
    await Promise.all([1, 2, 3, 4, 5].map(() => write()));
    await expect(write()).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("5 texts a minute") });
    expect(requests).toHaveLength(5);
  });

  test("is written one at a time", async () => {
    let [running, most] = [0, 0];
    const { write } = writer(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { text: "x", model: "m", finish: "length", tokens: 1, costUsd: null };
    });
    const results = await Promise.all([write(), write(), write()]);
    expect(most).toBe(1);
    expect(results[0]).toMatchObject({ stopReason: "maxTokens" });
  });

  test("that the model does not write is refused without a word about our provider, which the reader is told", async () => {
    const { answers } = writer(async () => {
      throw new Error("401 from https://api.example.com");
    });
    const told: string[] = [];
    const context = { signal, tell: (code: string, { en }: Text) => void told.push(`${code}: ${en}`) };
    const refused = { code: -32603, message: "The model has not written the text" };
    await expect(answers("sampling/createMessage", asked, context)).rejects.toMatchObject(refused);
    expect(told).toEqual([
      "sampling-failed: The text requested by the MCP server writer was not written: 401 from https://api.example.com",
    ]);
  });
});

test("directories are told as the configuration has them, as file URLs", async () => {
  const answers = createAnswers({
    settings: { name: "files", sampling: false, roots: ["/srv/my notes"] },
    sample: undefined,
    redact: (text) => text,
  });
  expect(await answers("roots/list", undefined, { signal })).toEqual({
    roots: [{ uri: pathToFileURL("/srv/my notes").href, name: "my notes" }],
  });
});
