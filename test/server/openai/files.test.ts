import { expect, onTestFinished, test, vi } from "vitest";
import { createAttachmentPreparation } from "../../../src/app/ask/prepare-attachments.ts";
import type { Attachment } from "../../../src/core/attachment.ts";
import { createRunFiles } from "../../../src/core/files/run-files.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import type { Locale } from "../../../src/kit/locale.ts";
import { collectFiles } from "../../../src/server/model-api/collect-files.ts";
import { toConversation } from "../../../src/server/model-api/to-conversation.ts";
import { chatFields } from "../../../src/server/openai/read-chat.ts";
import { readMessages, type WireMessage } from "../../../src/server/openai/read-messages.ts";
import { createHeavyWork, type HeavyWorkOptions } from "../../../src/tools/workers/heavy-work.ts";
import { images } from "../../fakes/images.ts";
import { body, servePages } from "../../tools/page/server.ts";
import { assistant, errorShape, startWire, user } from "./wire.ts";

const dataUrl = `data:image/png;base64,${images.png.toString("base64")}`;
const picture = (url: string) => ({ type: "image_url", image_url: { url } });
const text = (words: string) => ({ type: "text", text: words });

test("texts, images and files of a message are read in their order, and a message may be an image alone", async () => {
  const read = readConversation([
    { role: "user", content: [picture(dataUrl)] },
    assistant("A red square."),
    {
      role: "user",
      content: [
        text("And"),
        { type: "file", file: { filename: "a.txt", file_data: "QUJD" } },
        text("this?"),
        picture(dataUrl),
      ],
    },
  ]);
  const png = { mediaType: "image/png", bytes: images.png };
  expect(await collectFiles(read, toSource(unreachable))).toEqual({
    attachments: [{ bytes: Buffer.from("ABC"), name: "a.txt" }, png],
    history: [{ question: "…", answer: "A red square.", attachments: [png] }],
    notes: [],
  });
  expect(read.question).toBe("And\nthis?");
});

test("of the images of earlier messages the newest 20 are kept, those that cannot be had are left out, and a line says so", async () => {
  const turns = Array.from({ length: 25 }, (_, index) => [
    { role: "user", content: [text(`${index}`), picture(`https://x.example/${index}.png`)] },
    assistant("Seen."),
  ]);
  const fetched: string[] = [];
  const fetchFile = async (url: string): Promise<Attachment> => {
    fetched.push(url);
    if (url.endsWith("/22.png")) throw new Error("gone");
    return { bytes: images.gif };
  };
  const read = readConversation([...turns.flat(), user("How many?")]);
  const { history, notes } = await collectFiles(read, toSource(fetchFile));
  expect(history.map((turn) => turn.attachments?.length ?? 0)).toEqual([
    ...Array(4).fill(0),
    ...Array(18).fill(1),
    ...[0, 1, 1],
  ]);
  expect(fetched).toHaveLength(21);
  expect(notes.map(({ en }) => en)).toEqual(["Files of earlier messages were left out (5)."]);
});

test("an image is fetched only from where tools may reach, and one that cannot be had is an error that names its place", async () => {
  const site = await servePages({ "/a.png": body("image/png", images.png) });
  const ask = (url: string) => ({
    model: "duet-chat",
    messages: [{ role: "user", content: [text("What is this?"), picture(url)] }],
  });
  const { post, model } = await startWire({ turns: ["A square."] });
  const refused = await post(ask(`${site.url}/a.png`));
  expect(refused.status).toBe(400);
  expect(errorShape.parse(await refused.json()).error).toMatchObject({
    param: "messages[0].content[1]",
    message: expect.stringMatching(/^messages\[0\]\.content\[1\]: .*web\.reach/),
  });
  expect([site.asked, model.requests]).toEqual([[], []]);

  const open = await startWire({ turns: ["A square."], settings: { web: { reach: ["127.0.0.1"] } } });
  const missing = await open.post(ask(`${site.url}/none.png`));
  expect([missing.status, errorShape.parse(await missing.json()).error.message]).toEqual([
    400,
    "messages[0].content[1]: the site did not give the file (HTTP 404)",
  ]);
  expect((await open.post(ask(`${site.url}/a.png`))).status).toBe(200);
  expect(site.asked).toEqual(["/none.png", "/a.png"]);
});

test("a message that is an image alone is a question about it", async () => {
  const { post, model } = await startWire({ turns: ["A square."] });
  const answer = await post({ model: "duet-chat", messages: [{ role: "user", content: [picture(dataUrl)] }] });
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([200, expect.stringContaining("A square.")]);
  expect(model.requests[0]?.messages.at(-1)?.content).toEqual([
    expect.objectContaining({ type: "text" }),
    expect.objectContaining({ type: "image", image: expect.objectContaining({ mediaType: "image/png" }) }),
  ]);
});

test.each([
  [[{ type: "input_audio", input_audio: {} }], "allowed: text, image_url, file"],
  [[picture("file:///etc/passwd")], "allowed: image_url.url with an http, https or data: URL in base64"],
  [[picture("data:image/png;base64,???")], "there is no image"],
  [
    [picture("data:image/png;base64,QUJD")],
    "messages[0].content[0]: this is no image (accepted: PNG, JPEG, GIF, WebP)",
  ],
  [
    [picture(dataUrl), { type: "file", file: { filename: "a.pdf", file_data: "JVBERi0xLjQK" } }],
    "messages[0].content[1]: a.pdf: ",
  ],
  [
    [{ type: "file", file: { file_id: "file-1" } }],
    "file_id is not supported, because Duet keeps no uploaded files (allowed: file.file_data in base64",
  ],
  [Array(21).fill(picture(dataUrl)), "21 attachments (allowed: at most 20)"],
])("what is no file that can be taken is one line: case %#", async (content, line) => {
  const { post, model } = await startWire();
  const response = await post({ model: "duet-chat", messages: [{ role: "user", content }] });
  const { message } = errorShape.parse(await response.json()).error;
  expect([response.status, message]).toEqual([400, expect.stringContaining(line)]);
  expect(message).not.toMatch(/\n|iVBOR/);
  expect(model.requests).toEqual([]);
});

test("the files of a question have their own time to be checked, and the run reads those for which it was not enough", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const read = readConversation([
    { role: "user", content: [text("Look"), picture("https://x.example/a.png")] },
    assistant("Seen."),
    { role: "user", content: [picture(dataUrl)] },
  ]);
  const fetchFile = async (_url: string, _room: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    return { bytes: images.gif };
  };
  const checkFile = (_file: Attachment, _locale: unknown, signal: AbortSignal) =>
    waitAbortable(new Promise<never>(() => {}), signal);
  const collecting = collectFiles(read, { ...toSource(unreachable), duet: { fetchFile, checkFile } });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await collecting).toMatchObject({
    attachments: [{ bytes: images.png }],
    history: [{ attachments: [{ bytes: images.gif }] }],
    notes: [],
  });
});

test("a file is refused for its own faults alone: too much work asks to come back, and what took too long is told by the run", async () => {
  const file = { filename: "a.pdf", file_data: Buffer.from("%PDF-1.4\n%%EOF").toString("base64") };
  const read = readConversation([user("Hi"), { role: "user", content: [{ type: "file", file }] }]);
  const open = (options: HeavyWorkOptions) => {
    const work = createHeavyWork(options);
    onTestFinished(() => work.close());
    const preparation = createAttachmentPreparation(work);
    const checkFile = (each: Attachment, locale: Locale, signal: AbortSignal) =>
      preparation.check(each, { locale, signal });
    return { preparation, source: { ...toSource(unreachable), duet: { fetchFile: unreachable, checkFile } } };
  };
  const place = "messages[1].content[0]";
  await expect(collectFiles(read, open({ mostAtOnce: 0, mostWaiting: 0 }).source)).rejects.toMatchObject({
    refusal: {
      status: 503,
      error: "overloaded",
      param: place,
      text: { en: expect.stringMatching(/^messages\[1\]\.content\[0\]: a\.pdf: 0 pieces/) },
    },
  });
  await expect(collectFiles(read, open({}).source)).rejects.toMatchObject({ refusal: { status: 400, param: place } });
  const slow = open({ limitMs: 0 });
  const { attachments } = await collectFiles(read, slow.source);
  const { refusals } = await slow.preparation.prepare(attachments, {
    files: createRunFiles(),
    locale: "en",
    signal: slow.source.signal,
  });
  expect(refusals.map(({ en }) => en)).toEqual([expect.stringMatching(/^a\.pdf: .*could not be processed within/)]);
});

test("nothing is read of the files of a caller who has had its share", async () => {
  const { post } = await startWire({ turns: ["One."], settings: { serve: { limits: { tokensPerDay: 20 } } } });
  const broken = { type: "file", file: { filename: "a.pdf", file_data: "JVBERi0xLjQK" } };
  const ask = (content: unknown) => post({ model: "duet-chat", messages: [{ role: "user", content }] });
  expect((await ask("Hi")).status).toBe(200);
  expect((await ask([broken])).status).toBe(429);
});

function readConversation(messages: readonly WireMessage[]) {
  return toConversation(readMessages(messages), chatFields);
}

function toSource(fetchFile: (url: string) => Promise<Attachment>) {
  const duet = { fetchFile, checkFile: async () => undefined };
  return { field: "messages", duet, locale: "en" as const, signal: new AbortController().signal };
}

async function unreachable(): Promise<Attachment> {
  throw new Error("nothing is fetched");
}
