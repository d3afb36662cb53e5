import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { Tool } from "../../src/core/tools/tool.ts";
import { makeTool } from "../fakes/events.ts";
import type { ScriptedTurn } from "../fakes/model.ts";
import { startWire, user } from "./openai/wire.ts";

const readDiary: Tool = {
  ...makeTool("read_diary", () => ({ ok: true, text: "Dear diary" })),
  dataFlow: { readsPrivate: true, readsUntrusted: true },
};

/** Notes each call that ran. */
function createPost(ran: object[]): Tool {
  return {
    ...makeTool("post", (args) => {
      ran.push(args);
      return { ok: true, text: "posted" };
    }),
    dataFlow: { sendsOut: true },
  };
}

const turns: ScriptedTurn[] = [
  [{ id: "1", name: "read_diary", input: {} }],
  [{ id: "2", name: "post", input: { text: "Dear diary" } }],
  "I have posted it.",
];

const missing = /post sends text out, .*private data \(read_diary\).* was not run/;

test("an answer at /v1 says itself which call did not run because nobody could be asked", async () => {
  const ran: object[] = [];
  const settings = { serve: { confirm: "never" } };
  const { client } = await startWire({ turns: [...turns, ...turns], tools: [readDiary, createPost(ran)], settings });
  const question = { model: "duet-agent", messages: [user("Post my diary")] };
  const { choices } = await client.chat.completions.create(question);
  expect(choices[0]?.message.content).toMatch(/^I have posted it\.\n\n> /);
  expect(choices[0]?.message.content).toMatch(missing);
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ ...question, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? "";
  expect(streamed).toBe(choices[0]?.message.content);
  expect(ran).toEqual([]);
});

test("a result says which call did not run because nobody could be asked: in the object, in the text of a host, and over HTTP", async () => {
  const ran: object[] = [];
  const settings = { serve: { confirm: "never" } };
  const { origin } = await startWire({ turns: [...turns, ...turns], tools: [readDiary, createPost(ran)], settings });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const told = await client.callTool({ name: "agent_ask", arguments: { question: "Post my diary." } });
  expect(told.structuredContent).toMatchObject({ notices: [{ code: "approval-missing" }] });
  expect(JSON.stringify(told.content)).toMatch(missing);
  const chat = await fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "Post my diary." }),
  });
  expect(await chat.json()).toMatchObject({ notices: [{ code: "approval-missing" }] });
  expect(ran).toEqual([]);
});

test("a host that shows no dialogs is told what is at stake, and its user's yes lets the run go on without another question", async () => {
  const ran: object[] = [];
  const twice: ScriptedTurn[] = [...turns.slice(0, 2), [{ id: "3", name: "post", input: { text: "more" } }], "Posted."];
  const { origin } = await startWire({ turns: twice, tools: [readDiary, createPost(ran)] });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const ask = async (args: Record<string, unknown>) => client.callTool({ name: "agent_ask", arguments: args });

  const waiting = await ask({ question: "Post my diary twice." });
  expect(waiting.structuredContent).toMatchObject({ status: "needs_confirmation" });
  const text = JSON.stringify(waiting.content);
  expect(text).toContain("rule tools.askBeforeSending");
  expect(text).toContain(
    "This run has read private data (read_diary) and untrusted text, and post sends the arguments above out.",
  );
  expect(ran).toEqual([]);
  const shape = z.looseObject({ confirmation: z.looseObject({ token: z.string() }) });
  const { token } = shape.parse(waiting.structuredContent).confirmation;
  const done = await ask({ question: "yes", confirmation: token });
  expect(done.structuredContent).toMatchObject({ status: "complete", response: "Posted." });
  expect(ran).toEqual([{ text: "Dear diary" }, { text: "more" }]);
});
