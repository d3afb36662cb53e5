import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareImage } from "../../../src/core/files/prepare-image.ts";
import { createRunFiles } from "../../../src/core/files/run-files.ts";
import type { FilePart, ImagePart, Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent } from "../../../src/core/model/model.ts";
import type { ModelSettings, WireName } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { createEndpoints } from "../../../src/providers/middleware/endpoints.ts";
import { images } from "../../fakes/images.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { into, settings, weather } from "../reading.ts";

const files = createRunFiles();
const [chart, shot] = [keep(images.png, "chart.png"), keep(images.jpeg)];
const pdfBytes = Buffer.from("%PDF-1.7 what a vendor reads itself");
const pdf: FilePart = {
  type: "file",
  file: { hash: "pdf", mediaType: "application/pdf", size: pdfBytes.length, name: "report.pdf" },
  text: "Profit rose.",
};
files.add({ part: pdf, bytes: pdfBytes });

function keep(bytes: Buffer, name?: string): ImagePart {
  const made = prepareImage(bytes, name);
  if ("refusal" in made) throw new Error(made.refusal.en);
  files.add(made);
  return made.part;
}

const ask: Message = { role: "user", content: [{ type: "text", text: "What is this?" }, chart] };
const call = { id: "call_1", name: "weather", argumentsText: "{}", arguments: {} };
const withTool: Message[] = [
  ask,
  { role: "assistant", content: "", toolCalls: [call] },
  { role: "tool", callId: "call_1", tool: "weather", content: [{ type: "text", text: "A map." }, shot], ok: true },
];

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

describe.each<WireName>(["openai-chat", "openai-responses", "anthropic-messages"])("over %s", (wire) => {
  const endpoints = () => createEndpoints();

  function open(changes: Partial<ModelSettings> = {}, shared = endpoints()) {
    const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
    return createModel(settings({ wire, baseUrl, ...changes }), { sleep: async () => {}, endpoints: shared });
  }

  /** Sends the messages in a run, and returns what the provider received and what was told. */
  async function send(model: ReturnType<typeof open>, messages: Message[], tools = [weather]) {
    fake.script(model.model, { text: "I see." });
    const events: ModelEvent[] = [];
    const run = { id: "run-1", leftMs: () => 60_000 };
    await model.stream({ messages, tools, files, run }, into(events), new AbortController().signal);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
    return { body: JSON.stringify(fake.journal.at(-1)?.body), requests: fake.journal.length, notices };
  }

  test("images of the question and of a tool reach the model, in a form that the provider takes", async () => {
    const { body, notices } = await send(open(), withTool);
    for (const image of [chart, shot]) {
      const bytes = Buffer.from((await files.read(image.image.hash)) ?? []);
      expect(body.split(bytes.toString("base64"))).toHaveLength(2);
    }
    expect(body).toContain("A map.");
    expect(notices).toEqual([]);
  });

  test("a question, a tool's images and what the user says next stay in their order", async () => {
    const { body } = await send(open(), [...withTool, { role: "user", content: "And now?" }]);
    const png = Buffer.from((await files.read(chart.image.hash)) ?? []).toString("base64");
    const jpeg = Buffer.from((await files.read(shot.image.hash)) ?? []).toString("base64");
    const places = ["What is this?", png, "A map.", jpeg, "And now?"].map((text) => body.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test("a model that sees none gets names in their place, and its reader one notice", async () => {
    const model = open({ capabilities: { vision: false }, model: "blind-model" });
    const first = await send(model, withTool);
    expect(first.body).toContain("[image chart.png: image/png, 24×16, not sent]");
    expect(first.body).not.toContain("base64");
    expect(first.notices).toHaveLength(1);
    expect(first.notices[0]).toContain("this model does not see images");
    expect((await send(model, withTool)).notices).toEqual([]);
  });

  test("a model that refuses images is asked again without them, and not sent any from then on", async () => {
    const shared = endpoints();
    const model = open({ model: "blind-model" }, shared);
    const first = await send(model, withTool);
    expect(first.requests).toBe(2);
    expect(first.body).toContain("[image chart.png: image/png, 24×16, not sent]");
    expect(first.notices).toEqual([expect.stringContaining("refused images; sending the request again without them")]);
    // Every model at the address with this name knows it, also one that was opened later.
    const second = await send(open({ model: "blind-model" }, shared), withTool);
    expect(second.requests).toBe(3);
    expect(second.body).not.toContain("base64");
    // Another model at the same address is tried.
    expect((await send(open({ model: "seeing-model" }, shared), withTool)).body).toContain("base64");
  });

  test("a refusal of one image is not held against the next one", async () => {
    const model = open({ model: "moody" });
    const refusal = { error: { message: "Could not process image", type: "invalid_request_error" } };
    fake.script("moody", { status: 400, body: JSON.stringify({ type: "error", ...refusal }) });
    expect((await send(model, withTool)).body).not.toContain("base64");
    expect((await send(model, withTool)).body).toContain("base64");
  });

  test("what is over the vendor's limits is named instead, with the limit in one line", async () => {
    const limits = { images: { types: ["image/png"], mostBytes: 100_000, longestSide: 20, most: 1 } };
    const { body, notices } = await send(open({ quirks: limits }), withTool);
    expect(body).not.toContain("base64");
    expect(notices).toEqual([
      expect.stringContaining("image/jpeg is not accepted (accepted: PNG)"),
      expect.stringContaining("an image has 24×16 pixels; the limit is 20 a side"),
    ]);
    const { size } = chart.image;
    const small = await send(open({ quirks: { images: { mostBytes: size - 1 } } }), [ask]);
    expect(small.notices[0]).toContain(`an image has ${size} B; the limit is ${size - 1} B`);
    expect((await send(open({ quirks: { images: { mostBytes: size } } }), [ask])).body).toContain("base64");
    const one = await send(open({ quirks: { images: { most: 1 } } }), withTool);
    expect(one.notices[0]).toContain("a request takes at most 1 images");
    // The newest one is kept.
    expect(one.body).toContain("[image chart.png: image/png, 24×16, not sent]");
    expect(one.body).toContain(Buffer.from((await files.read(shot.image.hash)) ?? []).toString("base64"));
  });

  test("an image whose bytes are gone is named, and the turn goes on", async () => {
    const gone: ImagePart = { type: "image", image: { ...chart.image, hash: "gone" } };
    const { body } = await send(open(), [{ role: "user", content: [{ type: "text", text: "See" }, gone] }]);
    expect(body).toContain("[image chart.png: image/png]");
  });

  test("a document goes as it is to a vendor that reads it, and as text to all others", async () => {
    const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "Sum up." }, pdf] }];
    const native = await send(open({ quirks: { documents: ["application/pdf"] } }), messages);
    expect(native.body).toContain(pdfBytes.toString("base64"));
    expect(native.body).not.toContain("Profit rose.");
    const text = await send(open(), messages);
    expect(text.body).toContain("[file report.pdf: application/pdf]\\nProfit rose.");
    expect(text.body).not.toContain("base64");
  });
});

test("Mistral's models hear the assistant between a tool and the image that follows it", async () => {
  const model = createModel(
    settings({ wire: "openai-chat", baseUrl: fake.openaiUrl, quirks: { assistantAfterTools: true } }),
    { sleep: async () => {} },
  );
  fake.script(model.model, { text: "I see." });
  await model.stream({ messages: withTool, tools: [weather], files }, () => {}, new AbortController().signal);
  const { messages } = fake.journal.at(-1)?.body ?? {};
  expect(Array.isArray(messages) && messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});
