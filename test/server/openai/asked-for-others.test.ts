import OpenAI from "openai";
import { expect, test } from "vitest";
import { makeTool } from "../../fakes/events.ts";
import { startWire, user } from "./wire.ts";

const token = "operator-token-0123456789";

async function startShared(modelApi: object, turns = 9) {
  const sources = [1, 2].map((n) => ({ title: `Page ${n}`, url: `https://example.com/${n}`, snippet: "" }));
  const duet = await startWire({
    turns: Array.from({ length: turns }, () => "Hello [2]."),
    tools: [makeTool("lookup", () => ({ ok: true, text: "", sources }))],
    environment: { DUET_HTTP_TOKEN: token },
    logsRuns: true,
    settings: { serve: { modelApi, limits: { tokensPerDay: 20 } } },
  });
  const client = new OpenAI({ baseURL: `${duet.origin}/v1`, apiKey: token, maxRetries: 0 });
  /** Asks once, and gives the status. */
  const ask = async (fields: object, headers: Record<string, string> = {}): Promise<number> => {
    const asked = { model: "duet-chat", messages: [user("Hi")], ...fields };
    try {
      await client.chat.completions.create(asked, { headers });
      return 200;
    } catch (thrown) {
      return thrown instanceof OpenAI.APIError ? Number(thrown.status) : 0;
    }
  };
  const callers = (): string[] => [...new Set(duet.logged.flatMap(({ caller }) => (caller ? [String(caller)] : [])))];
  const operatorsRuns = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const { runs } = (await (await fetch(`${duet.origin}/agent/runs`, { headers })).json()) as { runs: unknown[] };
    return runs.length;
  };
  return { client, ask, callers, operatorsRuns };
}

test("behind a trusted key each person whom a request names has limits, runs and log lines of their own", async () => {
  const { ask, callers, operatorsRuns } = await startShared({ trustedKeys: ["DUET_HTTP_TOKEN"] });
  expect(await ask({ user: "anna" })).toBe(200);
  expect(await ask({ user: "anna" })).toBe(429);
  expect(await ask({ user: "ben" })).toBe(200);
  expect(await ask({ user: "anna", safety_identifier: "carl" })).toBe(200);
  expect(await ask({ user: " ben " })).toBe(429);
  expect(await operatorsRuns()).toBe(0);
  expect(await ask({})).toBe(200);
  expect(await operatorsRuns()).toBe(1);
  expect(callers()).toHaveLength(4);
  expect(callers().join()).not.toMatch(/anna|ben|carl/);
});

test("the response of a person whom a request has named is read with the name in the query", async () => {
  const { client } = await startShared({ trustedKeys: ["DUET_HTTP_TOKEN"] });
  const { id } = await client.responses.create({ model: "duet-chat", input: "Hi", safety_identifier: "anna" });
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.retrieve(id, {}, { query: { user: "ben" } })).rejects.toMatchObject({ status: 404 });
  expect(await client.responses.retrieve(id, {}, { query: { user: "anna" } })).toMatchObject({ id });
  await client.responses.delete(id, { query: { safety_identifier: "anna" } });
});

test("a configured header names the person, and what the body says does not count", async () => {
  const { ask } = await startShared({ trustedKeys: ["DUET_HTTP_TOKEN"], userHeader: "X-OpenWebUI-User-Id" });
  expect(await ask({ user: "x" }, { "x-openwebui-user-id": "anna" })).toBe(200);
  expect(await ask({ user: "y" }, { "X-OpenWebUI-User-Id": "anna" })).toBe(429);
  expect(await ask({ user: "z" })).toBe(200);
  expect(await ask({ user: "another" })).toBe(429);
});

test("a key that is not trusted asks for itself, whomever it names", async () => {
  const { ask, callers } = await startShared({ trustedKeys: ["another-key"], userHeader: "X-User" });
  expect(await ask({ user: "anna" }, { "x-user": "anna" })).toBe(200);
  expect(await ask({ user: "ben" }, { "x-user": "ben" })).toBe(429);
  expect(callers()).toEqual(["operator"]);
});
