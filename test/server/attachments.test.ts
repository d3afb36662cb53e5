import { readFile } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { images } from "../fakes/images.ts";
import type { ScriptedModel } from "../fakes/model.ts";

const png = images.png.toString("base64");
const report = (await readFile("test/fixtures/documents/report.docx")).toString("base64");

/** What the model was asked last: the words, and what came with them. */
function readLastQuestion({ requests }: ScriptedModel) {
  const content = requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.content ?? [];
  const parts = typeof content === "string" ? [] : content;
  return parts.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "image" ? `${part.image.mediaType} ${part.width}×${part.height}` : part.text;
  });
}

const seen = [
  expect.stringContaining("What is this?"),
  "image/png 24×16",
  expect.stringContaining("| North | 10 | 12 |"),
];

test("an image and a document of a question reach the model from the agent API, and no base64 stays in what is told of the run", async () => {
  const { origin, model, lines } = await startHttpDuet({ turns: ["A square."] });
  const send = async (path: string, body?: unknown) => {
    const init = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await fetch(origin + path, init || {})).text();
  };
  const attachments = [
    { name: "a.png", data: png },
    { name: "report.docx", data: report },
    { name: "old.doc", data: Buffer.from("d0cf11e0a1b11ae1", "hex").toString("base64") },
  ];
  const told = await send("/agent/chat", { message: "What is this?", mode: "chat", attachments });
  // Among several files, an image with a name stands behind it.
  expect(readLastQuestion(model)).toEqual([seen[0], "[image a.png: image/png, 24×16]", ...seen.slice(1)]);
  const { run_id, notices } = JSON.parse(told);
  expect(notices).toMatchObject([
    { code: "not-attached", message: expect.stringMatching(/^Not attached: old\.doc: .*old Office format \(allowed/) },
  ]);
  const trace = await send(`/agent/runs/${run_id}/trace`);
  expect(trace).toContain("What is this?");
  for (const text of [told, trace, lines.join("\n")])
    expect(text).not.toMatch(new RegExp(`${png.slice(0, 40)}|${report.slice(0, 40)}`));
});

test("they reach it from agent_ask as images and attachments", async () => {
  const { origin, model } = await startHttpDuet({ turns: ["A square."] });
  const client = new Client({ name: "host", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  const { content } = await client.callTool({
    name: "agent_ask",
    arguments: {
      question: "What is this?",
      mode: "chat",
      images: [`data:image/png;base64,${png}`],
      attachments: [{ name: "report.docx", data: report }],
    },
  });
  expect(content).toEqual([{ type: "text", text: "A square." }]);
  expect(readLastQuestion(model)).toEqual(seen);
});

test("they reach it from /v1/chat/completions, with the question and in the history", async () => {
  const { origin, model } = await startHttpDuet({ turns: ["A square."] });
  const parts = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    { type: "file", file: { filename: "report.docx", file_data: report } },
  ];
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "duet-chat",
      messages: [
        { role: "user", content: parts.slice(0, 2) },
        { role: "assistant", content: "A square." },
        { role: "user", content: parts },
      ],
    }),
  });
  expect(response.status).toBe(200);
  expect(readLastQuestion(model)).toEqual(seen);
  const [first] = model.requests[0]?.messages.filter(({ role }) => role === "user") ?? [];
  expect(first?.content).toMatchObject([{ type: "text" }, { type: "image", width: 24 }]);
});
