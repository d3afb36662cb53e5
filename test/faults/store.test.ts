import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import { readStreamData } from "../fakes/event-stream.ts";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { withoutDay } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { patienceMs } from "../runner/patience.ts";
import { mayMountDisks, requires } from "../runner/requirements.ts";

const answer = "Forty-two is the answer to all of it.";

/** Is told of a run that could neither be recorded nor saved. */
const unkept = [{ code: "not-resumable" }, { code: "not-saved" }];

describe("198 a disk that is full", requires(mayMountDisks()), () => {
  test("is told with each answer that is not kept; with room again, all of them are kept, and that is told", async () => {
    const home = await temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", home]);
    onTestFinished(() => void execFileSync("umount", ["-l", home]));
    const { ask, askEvents, askOpenAi, askMcp, read, model, lines, isReady } = await serve(home);
    const first = await ask({ message: "first" });
    expect(first.notices).toBeUndefined();
    await fillUp(join(home, "filler"));

    const { conversation_id } = await ask({ message: "My name is Zed." });
    const next = await ask({ message: "What is my name?", conversation_id });
    expect(next.notices).toEqual([
      expect.objectContaining({ code: "not-resumable" }),
      {
        level: "warning",
        code: "not-saved",
        message: expect.stringMatching(/^This turn was not saved: .*full.*again\.$/),
      },
    ]);
    expect(model.requests.at(-1)?.messages.map(({ content }) => withoutDay(String(content)))).toEqual(
      expect.arrayContaining(["My name is Zed.", answer, "What is my name?"]),
    );
    const events = await askEvents({ message: "third" });
    expect(events.filter(({ type }) => type === "notice")).toMatchObject(unkept);
    expect(events.at(-1)).toMatchObject({ outcome: { notices: unkept } });
    const { content, structuredContent } = await askMcp("fourth");
    expect(content).toMatchObject([
      { text: expect.stringMatching(/^Forty-two.*\n\n⚠ The steps .*full\.\n\n⚠ This turn was not saved: /) },
    ]);
    expect(structuredContent).toMatchObject({ notices: unkept });
    // What a program keeps itself is not lost; it learns that the store fails.
    for (const stream of [false, true])
      expect(await askOpenAi("fifth", stream)).toMatch(
        /⚠ The conversation store cannot be written at present: .*"notices":\[\{"level":"warning","code":"store-failing"/s,
      );
    // A program is refused what it asked for, to be run once whatever happens; a person at the page reads that nothing is saved.
    const keyed = { "idempotency-key": "k1" };
    expect(await ask({ message: "keyed" }, keyed)).toMatchObject({ status: 503 });
    const fromPage = { ...keyed, "sec-fetch-site": "same-origin" };
    const shown = await ask({ message: "from the page" }, fromPage);
    expect(shown).toMatchObject({ notices: unkept });
    expect(await ask({ message: "from the page" }, fromPage)).toMatchObject({ run_id: shown.run_id });
    expect(await isReady()).toEqual([503, "failing"]);
    expect(await read("/metrics")).toMatch(
      /duet_store_state\{state="failing"\} 1[\s\S]*duet_store_unsaved_runs 5[\s\S]*duet_store_failures_total\{kind="full"\} [1-9]/,
    );
    const told = () => lines.filter((line) => line.includes("store"));
    expect(told()).toEqual([expect.stringMatching(/cannot be written at present: .*full/)]);

    await rm(join(home, "filler"));
    await expect
      .poll(() => told().at(-1), { timeout: patienceMs })
      .toBe("the conversation store can be written again; runs that had waited and are saved now: 5");
    expect(await isReady()).toEqual([200, "ok"]);
    const known: unknown = JSON.parse(await read(`/agent/runs/${next.run_id}`));
    expect(known).toMatchObject({ response: answer, notices: [{ code: "not-resumable" }, { code: "saved-late" }] });
    const last = await askEvents({ message: "last", conversation_id });
    expect(last.filter(({ type }) => type === "notice")).toMatchObject([{ code: "saved-late", level: "info" }]);
    expect(readQuestions(home)).toEqual([
      "first",
      "My name is Zed.",
      "What is my name?",
      "third",
      "fourth",
      "from the page",
      "last",
    ]);
  });
});

test("198 a home that cannot be used is told with each answer, and to a person once in a conversation", async () => {
  const home = join(await temporaryFolder(), "home");
  await writeFile(home, "a file, not a folder");
  const { ask, askEvents, askOpenAi, askMcp, read, lines, isReady } = await serve(home);
  const { conversation_id, notices } = await ask({ message: "first" });
  expect(notices).toMatchObject([{ code: "store-unavailable" }]);
  const events = await askEvents({ message: "again", conversation_id });
  expect(events.filter(({ type }) => type === "notice")).toMatchObject([{ code: "store-unavailable", forLog: true }]);
  expect(events.at(-1)).toMatchObject({ outcome: { notices: [{ code: "store-unavailable" }] } });
  expect(JSON.stringify(await askMcp("third"))).toMatch(/⚠ Conversations are kept only.*"notices":\[/);
  expect(await askOpenAi("fourth", true)).toContain("store-unavailable");
  expect(await isReady()).toEqual([200, "memory"]);
  expect(await read("/metrics")).toContain('duet_store_state{state="memory"} 1');
  expect(lines.filter((line) => line.includes("kept only until this process ends"))).toHaveLength(1);
});

test("198 a conversation_id that nobody has is told in each result, with the conversation that has begun", async () => {
  const { ask, askEvents, askMcp } = await serve(await temporaryFolder());
  const asked = { message: "first", conversation_id: "conv-of-nobody" };
  const notice = { code: "conversation-unknown", message: expect.stringContaining("conv-of-nobody was not found") };
  expect((await ask(asked)).notices).toMatchObject([notice]);
  const events = await askEvents({ ...asked, conversation_id: "conv-of-nobody-else" });
  expect(events.at(-1)).toMatchObject({ outcome: { notices: [{ code: "conversation-unknown" }] } });
  const { content, structuredContent } = await askMcp("third", "conv-of-none");
  expect(content).toMatchObject([{ text: expect.stringMatching(/⚠ Conversation conv-of-none was not found/) }]);
  expect(structuredContent).toMatchObject({ notices: [{ code: "conversation-unknown" }] });
});

async function serve(home: string) {
  const served = await startHttpDuet({
    turns: Array.from({ length: 12 }, () => answer),
    settings: { conversations: { store: "disk" }, search: { enabled: false } },
    environment: { DUET_HOME: home },
  });
  const { origin } = served;
  const post = (path: string, body: object, accept = "application/json", headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", accept, ...headers },
      body: JSON.stringify(body),
    });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
  onTestFinished(() => client.close());
  const read = async (path: string) => (await fetch(origin + path)).text();
  return {
    ...served,
    read,
    ask: async (body: object, headers?: Record<string, string>) =>
      readObject(await (await post("/agent/chat", body, "application/json", headers)).text()),
    async askEvents(body: object) {
      const text = await (await post("/agent/chat", body, "text/event-stream")).text();
      return readStreamData(text).map(readObject);
    },
    async askOpenAi(content: string, stream: boolean) {
      const body = { model: "duet-agent", stream, messages: [{ role: "user", content }] };
      return (await post("/v1/chat/completions", body)).text();
    },
    askMcp: (question: string, conversation_id?: string) =>
      client.callTool({ name: "agent_ask", arguments: { question, conversation_id } }),
    async isReady() {
      const response = await fetch(`${origin}/readyz`);
      return [response.status, readObject(await response.text()).store];
    },
  };
}

function readObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

function readQuestions(home: string): unknown[] {
  const store = new DatabaseSync(join(home, "duet.db"), { readOnly: true });
  const rows = store.prepare("SELECT json_extract(trace, '$.question') AS question FROM traces ORDER BY n").all();
  store.close();
  return rows.map(({ question }) => question);
}

async function fillUp(file: string): Promise<void> {
  for (const size of [65_536, 4096, 1])
    for (let isFull = false; !isFull; )
      isFull = await writeFile(file, new Uint8Array(size), { flag: "a" }).then(
        () => false,
        () => true,
      );
}
