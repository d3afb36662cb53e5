import { expect, onTestFinished, test } from "vitest";
import { type HttpDuet, startHttpDuet } from "../../fakes/http-duet.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../../fakes/provider.ts";

const broken: FakeTurn = { status: 500, body: '{"error":{"message":"boom"}}', headers: { "x-should-retry": "false" } };

/** A served Duet with one model at a fake provider. */
async function serve(): Promise<{ duet: HttpDuet; fake: FakeProvider }> {
  const fake = await startFakeProvider();
  onTestFinished(() => fake.close());
  const settings = {
    models: { functionCall: { provider: "local", model: "m" } },
    providers: { local: { wire: "openai-chat", baseUrl: fake.openaiUrl, apiKeyEnv: "LOCAL_KEY" } },
    search: { enabled: false },
  };
  const duet = await startHttpDuet({ settings, models: {}, environment: { LOCAL_KEY: "sk-test-openai-0001" } });
  return { duet, fake };
}

function chat({ origin }: HttpDuet, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ message: `Hello ${Math.random()}?`, mode: "chat" });
  return fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

function complete({ origin }: HttpDuet, stream = false): Promise<Response> {
  const messages = [{ role: "user", content: `Hello ${Math.random()}?` }];
  const body = JSON.stringify({ model: "duet-chat", messages, stream });
  return fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

async function pauseModel({ duet, fake }: { duet: HttpDuet; fake: FakeProvider }): Promise<void> {
  for (let run = 0; run < 5; run++) {
    fake.script("m", broken);
    expect(await (await chat(duet)).json()).toMatchObject({ status: "failed", error: { code: "server" } });
  }
}

test("one question that its provider fails on shuts the model for nobody", async () => {
  const { duet, fake } = await serve();
  fake.script("m", broken, { text: "Sunny." });
  expect(await (await chat(duet)).json()).toMatchObject({ error: { code: "server" } });
  expect(await (await chat(duet)).json()).toMatchObject({ status: "complete", response: "Sunny." });
});

test("a model that failed for run after run is refused with 503 and the time, on every door, and readyz shows it", async () => {
  const served = await serve();
  const { duet, fake } = served;
  await pauseModel(served);
  const asked = fake.journal.length;
  const refused = await chat(duet);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(refused.status).toBe(503);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(15);
  expect(await refused.json()).toMatchObject({
    status: "failed",
    error: { code: "overloaded", message: expect.stringContaining("local/m is paused for"), retry_after_s: seconds },
  });
  const overOpenAi = await complete(duet);
  expect(overOpenAi.status).toBe(503);
  expect(Number(overOpenAi.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(overOpenAi.headers.get("x-should-retry")).toBe("true");
  expect((await complete(duet, true)).status).toBe(503);
  expect(fake.journal).toHaveLength(asked);
  const ready = await fetch(`${duet.origin}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    models: { paused: [{ model: "local/m", retry_after_s: expect.any(Number), error: "server" }] },
  });
});

test("a person who asks at our page tries a paused model at once, and opens it again for all", async () => {
  const served = await serve();
  const { duet, fake } = served;
  await pauseModel(served);
  fake.script("m", { text: "Sunny." }, { text: "Cloudy." });
  const person = await chat(duet, { "sec-fetch-site": "same-origin" });
  expect(await person.json()).toMatchObject({ response: "Sunny." });
  expect(await (await complete(duet)).json()).toMatchObject({ choices: [{ message: { content: "Cloudy." } }] });
  expect((await fetch(`${duet.origin}/readyz`)).status).toBe(200);
});

test("a wait that the run has no time for is 429 with the time, on every door", async () => {
  const { duet, fake } = await serve();
  const limited = { status: 429, body: "{}", headers: { "retry-after": "61" } };
  fake.script("m", limited, limited, limited);
  for (const response of [await chat(duet), await complete(duet), await complete(duet, true)]) {
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "61"]);
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    expect(error.code).toMatch(/^rate_limit/);
    expect(error.message).toContain("local/m");
  }
  expect(fake.journal).toHaveLength(3);
});
