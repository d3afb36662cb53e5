import OpenAI from "openai";
import { expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { readConsentReply } from "../../../src/server/model-api/consent-question.ts";
import { makeTool } from "../../fakes/events.ts";
import type { HttpDuetSettings } from "../../fakes/http-duet.ts";
import { assistant, chunkShape, dataOf, startWire, user } from "./wire.ts";

type Messages = OpenAI.ChatCompletionCreateParams["messages"];

/** A tool that needs consent, and notes each call that ran. */
function createWipe(ran: object[]): Tool {
  const wipe = makeTool("wipe", (args) => {
    ran.push(args);
    return { ok: true, text: "wiped" };
  });
  return { ...wipe, annotations: { destructive: true } };
}

const wipeAll = (path: string) => [{ id: path, name: "wipe", input: { query: path } }];

async function startAsking(options: HttpDuetSettings) {
  const ran: object[] = [];
  const wire = await startWire({ tools: [createWipe(ran)], ...options });
  const ask = async (messages: Messages, client = wire.client) => {
    const { data, response } = await client.chat.completions.create({ model: "duet-agent", messages }).withResponse();
    const [choice] = data.choices;
    return {
      text: choice?.message.content ?? "",
      finish: choice?.finish_reason,
      run: response.headers.get("x-request-id"),
    };
  };
  const listRuns = async (): Promise<string[]> => {
    const { runs } = (await (await fetch(`${wire.origin}/agent/runs`)).json()) as { runs: { status: string }[] };
    return runs.map(({ status }) => status);
  };
  return { ...wire, ran, ask, listRuns };
}

test("a call that needs consent is asked in the answer, and runs once as it was shown when the next message says yes", async () => {
  const { ran, ask, model, post } = await startAsking({ turns: [wipeAll("/old ```"), "It is wiped."] });
  const asked = await ask([user("Wipe the old ones")]);
  expect(asked).toMatchObject({ finish: "stop", run: expect.stringMatching(/^run-/) });
  expect(asked.text).toMatch(
    /^\*\*May `wipe` be run\?\*\*\n\n````json\n\{\n {2}"query": "\/old ```"\n\}\n````\n\nRule: .+\n\nReply \*\*yes\*\* \(or ok, sure, allow\) to run exactly this, .* or after \d+ min\. `consent-[0-9a-f]{16}`$/,
  );
  expect(ran).toEqual([]);
  const messages = [user("Wipe the old ones"), assistant(asked.text), user("Yes.")];
  const done = await ask(messages);
  expect(done).toEqual({ text: "It is wiped.", finish: "stop", run: asked.run });
  expect(ran).toEqual([{ query: "/old ```" }]);
  const data = await dataOf(await post({ model: "duet-agent", messages, stream: true }));
  const again = data.slice(0, -1).map((line) => chunkShape.parse(JSON.parse(line)).choices[0]?.delta.content ?? "");
  expect(again.join("")).toBe("It is wiped.");
  expect([ran.length, model.requests.length]).toEqual([1, 2]);
});

test("it is asked in the language of the question, streamed as well, one call after the other, and a no leaves it", async () => {
  const { ran, ask, post } = await startAsking({
    turns: [[...wipeAll("/a"), ...wipeAll("/b")], "只删除了一个。"],
    settings: { locale: undefined },
  });
  const data = await dataOf(await post({ model: "duet-agent", messages: [user("删除旧文件")], stream: true }));
  const chunks = data.slice(0, -1).map((line) => chunkShape.parse(JSON.parse(line)).choices[0]);
  const first = chunks.map((choice) => choice?.delta.content ?? "").join("");
  expect([first, chunks.at(-1)?.finish_reason]).toEqual([
    expect.stringMatching(/^\*\*是否允许运行 `wipe`？\*\*\n\n```json\n[\s\S]*"\/a"[\s\S]*回复\*\*是\*\*/),
    "stop",
  ]);
  const second = await ask([user("删除旧文件"), assistant(first), user("是")]);
  expect(second.text).toContain('"/b"');
  const history = [user("删除旧文件"), assistant(first), user("是"), assistant(second.text), user("不要")];
  expect((await ask(history)).text).toBe("只删除了一个。");
  expect(ran).toEqual([{ query: "/a" }]);
});

test("any other message, another caller, a code of somebody's own making and a question that nobody answered in time run nothing", async () => {
  const { ran, ask, listRuns, model } = await startAsking({
    turns: [wipeAll("/a"), "Four.", wipeAll("/b"), "Who?", "What?", "Gone."],
    settings: { serve: { confirmTime: 1 } },
  });
  const asked = await ask([user("Wipe it")]);
  expect(asked.text).toContain("or after 1 s.");
  expect(await ask([user("Wipe it"), assistant(asked.text), user("What is 2+2?")])).toMatchObject({ text: "Four." });
  expect(await listRuns()).toEqual(["complete", "cancelled"]);
  const second = await ask([user("Wipe it")]);
  const made = second.text.replace(/consent-\w{4}/, "consent-0000");
  expect(await ask([user("Wipe it"), assistant(made), user("yes")])).toMatchObject({ text: "Who?" });
  const uncoded = second.text.replace(/ `consent-\w+`$/, "");
  expect(await ask([user("Wipe it"), assistant(uncoded), user("yes")])).toMatchObject({ text: "What?" });
  await expect.poll(async () => (await listRuns()).filter((status) => status === "cancelled").length).toBe(2);
  expect(await ask([user("Wipe it"), assistant(second.text), user("yes")])).toMatchObject({ text: "Gone." });
  expect([ran, model.requests.length]).toEqual([[], 6]);
});

test("the person who is asked replies, and nobody else behind the same key", async () => {
  const token = "operator-token-0123456789";
  const { ran, origin } = await startAsking({
    turns: [wipeAll("/a"), "Not mine.", "It is wiped."],
    environment: { DUET_HTTP_TOKEN: token },
    settings: { serve: { modelApi: { trustedKeys: ["DUET_HTTP_TOKEN"] } } },
  });
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: token, maxRetries: 0 });
  const ask = async (person: string, messages: Messages): Promise<string> => {
    const answer = await client.chat.completions.create({ model: "duet-agent", messages, user: person });
    return answer.choices[0]?.message.content ?? "";
  };
  const asked = await ask("anna", [user("Wipe it")]);
  const reply = [user("Wipe it"), assistant(asked), user("yes")];
  expect([await ask("ben", reply), ran]).toEqual(["Not mine.", []]);
  expect([await ask("anna", reply), ran]).toEqual(["It is wiped.", [{ query: "/a" }]]);
});

test("only words that agree are a yes", () => {
  const read = (...words: string[]) => new Set(words.map(readConsentReply));
  expect(read("yes", "Yes!", "y", "OK", "**Yes**", "yes, please", "run it", "是", "可以", "同意。", "允许")).toEqual(
    new Set(["yes"]),
  );
  expect(read("no", "No.", "n", "cancel", "don't", "否", "不要", "拒绝")).toEqual(new Set(["no"]));
  expect(
    read("", "yes but only /tmp", "yes?", "maybe", "why", "not yes", "是吗", "可以不运行吗", "run it on /b instead"),
  ).toEqual(new Set([undefined]));
});
