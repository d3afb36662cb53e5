import type OpenAI from "openai";
import { expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { followUps, plainQuestions, questionWithDocuments, tags, title } from "../../fakes/chat-pages.ts";
import { makeTool } from "../../fakes/events.ts";
import { assistant, chunkShape, completionShape, dataOf, errorShape, startWire, user } from "./wire.ts";

type Asked = OpenAI.ChatCompletionCreateParamsNonStreaming;

function lookup(...names: string[]): Tool {
  const sources = names.map((name) => ({ title: name, url: `https://${name}.example`, snippet: "" }));
  return makeTool("lookup", () => ({ ok: true, text: "", sources }));
}

const call = [{ id: "1", name: "lookup", input: { query: "duet" } }];

test("a question in a new chat of Open WebUI costs its own model calls and three small ones, and stands alone in the list", async () => {
  const { client, model, origin } = await startWire({
    turns: [call, "An agent [1].", '{ "title": "Duet" }', '{ "follow_ups": [] }', '{ "tags": [] }'],
    tools: [lookup("a")],
  });
  const stream = await client.chat.completions.create({
    model: "duet-agent",
    messages: [user("What is Duet?")],
    stream: true,
  });
  await Array.fromAsync(stream);
  const own = model.requests.length;
  expect(own).toBe(2);
  for (const messages of [title, followUps, tags])
    await client.chat.completions.create({ model: "duet-agent", messages, stream: false, max_tokens: 200 });
  expect(model.requests.length - own).toBe(3);
  expect(model.requests.slice(own).map(({ tools, messages }) => [tools, messages])).toEqual([
    [[], title],
    [[], followUps],
    [[], tags],
  ]);
  expect(await (await fetch(`${origin}/agent/runs`)).json()).toMatchObject({ runs: [{ question: "What is Duet?" }] });
});

test("what only looks like such a request gets a whole run, with our prompt and the tools", async () => {
  const { client, model } = await startWire({ turns: plainQuestions.map(() => "Yes."), tools: [lookup("a")] });
  for (const question of plainQuestions)
    await client.chat.completions.create({ model: "duet-agent", messages: [user(question)] });
  const asked = model.requests.map(({ tools, messages }) => [tools[0]?.name, messages[0]?.role]);
  expect(asked).toEqual(plainQuestions.map(() => ["lookup", "system"]));
});

test("duet-side is the function-call model alone, whole or streamed, whatever is asked and whichever tools are brought", async () => {
  const { client, post, model, origin } = await startWire({ turns: ["Greetings", "Again"], tools: [lookup("a")] });
  const tools = [{ type: "function" as const, function: { name: "theirs", parameters: {} } }];
  const messages = [{ role: "system" as const, content: "Name it." }, user("Hi"), assistant("Hello"), user("Title?")];
  const whole = await client.chat.completions.create({ model: "duet-side", messages, tools });
  expect(whole.choices[0]?.message.content).toBe("Greetings");
  const data = await dataOf(await post({ model: "duet-side", messages, stream: true }));
  const deltas = data.slice(0, -1).map((line) => chunkShape.parse(JSON.parse(line)).choices[0]?.delta);
  expect(deltas.map((delta) => delta?.content ?? "").join("")).toBe("Again");
  expect(deltas.every((delta) => delta?.reasoning_content === undefined)).toBe(true);
  expect(model.requests.map((request) => [request.tools, request.messages.map(({ role }) => role)])).toEqual([
    [[], ["system", "user", "assistant", "user"]],
    [[], ["system", "user", "assistant", "user"]],
  ]);
  expect(await (await fetch(`${origin}/agent/runs`)).json()).toMatchObject({ runs: [] });
});

test("duet-chat as the model of a page's own requests makes one call for each", async () => {
  const { client, model } = await startWire({ turns: ["Greetings", "Named"], tools: [lookup("a")] });
  await client.chat.completions.create({ model: "duet-chat", messages: title });
  await client.chat.completions.create({ model: "duet-chat", messages: [user("Name this chat: Hi. Hello.")] });
  expect(model.requests.map(({ tools }) => tools)).toEqual([[], []]);
});

test("numbers of the page's own documents stay, those of our sources follow them, in the text, the list and the annotations", async () => {
  const { client } = await startWire({
    turns: [
      ...[call, "In Dartmouth [1], named by McCarthy [2]; so say others [4]. Nobody else [9] does."],
      "In Dartmouth [1]. Also [7].",
    ],
    tools: [lookup("a", "b")],
  });
  const ask = async (model: string) => {
    const answer = await client.chat.completions.create({ model, messages: [user(questionWithDocuments)] });
    return answer.choices[0]?.message;
  };
  const searched = await ask("duet-agent");
  expect(searched?.content).toBe(
    "In Dartmouth [1], named by McCarthy [2]; so say others [4]. Nobody else does.\n\nReferences\n\n- [4] b https://b.example",
  );
  const { url, start_index: start, end_index: end } = searched?.annotations?.[0]?.url_citation ?? {};
  expect([url, searched?.content?.slice(start, end), searched?.annotations?.length]).toEqual([
    "https://b.example",
    "[4]",
    1,
  ]);
  expect((await ask("duet-chat"))?.content).toBe("In Dartmouth [1]. Also [7].");
});

test("an answer that stands last is gone on with, and a partial one says so in its text, for people and not for models", async () => {
  const { client, model } = await startWire({
    turns: [{ text: "One, two,", finish: "length" }, " three.", { text: "Uno,", finish: "length" }, "四。"],
  });
  const ask = (messages: Asked["messages"], more: Partial<Asked> = {}) =>
    client.chat.completions.create({ model: "duet-chat", messages, ...more });
  const first = (await ask([user("Count.")])).choices[0];
  const shown = first?.message.content ?? "";
  expect([shown, first?.finish_reason]).toEqual([
    expect.stringMatching(/^One, two,\n\n> ⚠ This answer is partial: .+$/),
    "length",
  ]);
  const rest = await ask([user("Count."), assistant(shown)]);
  expect(rest.choices[0]?.message.content).toBe("\n\n three.");
  const said = model.requests[1]?.messages.filter(({ role }) => role !== "system") ?? [];
  expect(said.map(({ content }) => content)).toEqual([
    expect.stringContaining("Count."),
    expect.stringMatching(/^One, two,\n\n\(The answer ends here/),
    expect.stringContaining("Go on with your last answer"),
  ]);
  const limited = await ask([user("Count.")], { max_tokens: 5 });
  expect(limited.choices[0]?.message.content).toBe("Uno,");
  const chinese = await ask([user("数数。"), assistant("一、二、三、")]);
  expect(chinese.choices[0]?.message.content).toBe("四。");
  expect(model.requests[3]?.messages.at(-1)?.content).toContain("中断的地方接着写");
});

test("a request, a suffix of the model's name or the setting says how much of its work a run tells", async () => {
  const turns = Array.from({ length: 6 }, () => [{ text: "I look it up.", calls: call }, "An agent."]).flat();
  const { client } = await startWire({
    turns,
    tools: [lookup("a")],
    settings: { serve: { modelApi: { reasoning: "brief" } } },
  });
  const ask = async (model: string, more: object = {}): Promise<string | undefined> => {
    const asked: Asked = { model, messages: [user("What is Duet?")], ...more };
    const { message } = (await client.chat.completions.create(asked)).choices[0] ?? {};
    return (message as { reasoning_content?: string } | undefined)?.reasoning_content;
  };
  const [brief, full] = [await ask("duet-agent"), await ask("duet-agent:full")];
  expect(full).toContain("💭 I look it up.");
  expect(brief).not.toContain("I look it up.");
  expect(brief).toContain("🔧 lookup");
  expect(await ask("duet-agent:none")).toBeUndefined();
  expect(await ask("duet-agent:full", { reasoning: "none" })).toBeUndefined();
  expect(await ask("duet-agent:full", { reasoning: { exclude: true } })).toBeUndefined();
  expect(await ask("duet-agent:none", { reasoning: "full" })).toContain("💭 I look it up.");
});

test("a slash at the end makes no difference, and a path that there is not is answered with those that there are", async () => {
  const { origin, client } = await startWire({ turns: ["Hello."] });
  const slashed = new URL(`${origin}/v1/`);
  const asked = { model: "duet-chat", messages: [user("Hi")] };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(new URL("chat/completions/", slashed), {
    ...{ method: "POST", headers },
    body: JSON.stringify(asked),
  });
  completionShape.parse(await answer.json());
  expect(await (await fetch(new URL("models/", slashed))).json()).toEqual(
    await (await fetch(new URL("models", slashed))).json(),
  );
  const one = await fetch(new URL("models/duet-agent:brief/", slashed));
  expect(await one.json()).toEqual(await client.models.retrieve("duet-agent:brief"));
  const none = await fetch(`${origin}/v1/embeddings`, { method: "POST", headers, body: "{}" });
  const { error } = errorShape.parse(await none.json());
  expect([none.status, error.message]).toEqual([404, expect.stringMatching(/allowed: (\/v1\/[^,]+(, |\)))+$/)]);
  const short = await fetch(`${origin}/chat/completions`, { method: "POST", headers, body: JSON.stringify(asked) });
  expect([short.status, await short.json()]).toEqual([
    404,
    expect.objectContaining({ hint: expect.stringContaining("/v1/chat/completions") }),
  ]);
});
