import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { expect, onTestFinished, test } from "vitest";
import { images } from "../../fakes/images.ts";
import { programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { checkEvents } from "../responses/response-events.ts";

/** A tool that has done its work, and does not come back. */
const stuck = (journal: string): string => `import { appendFileSync } from "node:fs";
export default {
  name: "write_line",
  description: "Writes a line.",
  inputSchema: { type: "object", properties: {} },
  async run() {
    appendFileSync(${JSON.stringify(journal)}, "line\\n");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
`;

const attachment = { name: "chart.png", data: Buffer.from(images.png).toString("base64") };

interface Served {
  child: ChildProcess;
  /** The official client of OpenAI's API, for this server. */
  client: OpenAI;
  /** Asks with a key; the headers may ask for events. */
  ask(key: string, headers?: Record<string, string>): Promise<Response>;
}

/** A server that may be started again on the same home, whose model asks for a line to be written. */
async function openHome() {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  const turn = { toolCalls: [{ name: "write_line", arguments: {} }] };
  provider.script("one", turn, { text: "Nobody knows whether the line was written." });
  const folder = await temporaryFolder();
  const journal = join(folder, "lines");
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "write-line.mjs"), stuck(journal));
  const models = {
    functionCall: { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" },
  };
  const config = join(folder, "duet.config.json");
  await writeFile(config, JSON.stringify({ models, tools: { directory: "./tools" }, locale: "en" }));
  const env = await programEnvironment({ DUET_HOME: folder, OPENAI_API_KEY: "sk-test-openai-0001" });

  async function serve(): Promise<Served> {
    const child = await startProgram(["serve", "--http", "0", "--config", config], { env });
    let origin: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (origin !== undefined) break;
    }
    return {
      child,
      client: new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 }),
      ask: (key, headers = {}) =>
        fetch(`${origin}/agent/chat`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key, ...headers },
          body: JSON.stringify({ message: "Write a line", attachments: [attachment] }),
        }),
    };
  }
  return { serve, provider, readLines: async () => readFile(journal, "utf8").catch(() => "") };
}

async function kill({ child }: Served): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
}

test("a key waits for the process that carries out its run, and goes on with it once that is killed: its call is not made again, and the model is told", async () => {
  const { serve, provider, readLines } = await openHome();
  const first = await serve();
  const cut = first.ask("k1").catch(() => "cut");
  await expect.poll(readLines).toBe("line\n");
  const { ask } = await serve();
  const early = await ask("k1");
  expect([early.status, early.headers.get("retry-after")]).toEqual([409, "5"]);
  // A new key would begin a second run beside the first.
  expect(await early.json()).toMatchObject({
    detail: expect.stringContaining("still going on in another process"),
    hint: expect.stringContaining("with the same key"),
  });
  await kill(first);
  expect(await cut).toBe("cut");

  for (const again of [1, 2]) {
    const response = await ask("k1");
    expect([again, response.status]).toEqual([again, 200]);
    expect(await response.json()).toMatchObject({
      status: "complete",
      response: "Nobody knows whether the line was written.",
      tool_calls: [{ tool: "write_line", ok: false, result: expect.stringContaining("may have taken effect") }],
      notices: [{ code: "run-resumed" }],
    });
  }
  expect(await readLines()).toBe("line\n");
  const shown = provider
    .requests("one")
    .map((request) => /data:image\/png;base64,[^"]+/.exec(JSON.stringify(request))?.[0]);
  expect(shown).toEqual([expect.stringMatching(/^data:/), shown[0]]);
});

test("a reader of events comes back to the next process by the number of its last event, and misses none", async () => {
  const { serve, readLines } = await openHome();
  const accept = "text/event-stream";
  const first = await serve();
  const { body } = await first.ask("k1", { accept });
  const seen: string[] = [];
  const reading = readFrames(body, seen).catch(() => {});
  await expect.poll(readLines).toBe("line\n");
  await expect.poll(() => seen.join()).toContain("tool-start");
  await kill(first);
  await reading;

  const second = await serve();
  const later: string[] = [];
  await readFrames((await second.ask("k1", { accept, "last-event-id": String(seen.length) })).body, later);
  const frames = [...seen, ...later];
  expect(frames.map((frame) => frame.split(" ")[0])).toEqual(frames.map((_, index) => String(index + 1)));
  const types = frames.map((frame) => frame.split(" ")[1]);
  expect(types.filter((type) => type === "run-start" || type === "tool-start" || type === "tool-end")).toEqual([
    "run-start",
    "tool-start",
    "tool-end",
  ]);
  expect(types.at(-1)).toBe("run-end");

  // A process that has nothing to do with the run gives what is stored.
  await kill(second);
  const third = await serve();
  const from = seen.length + 1;
  const rest: string[] = [];
  await readFrames((await third.ask("k1", { accept, "last-event-id": String(from) })).body, rest);
  expect(rest).toEqual(frames.slice(from));
  const over = await third.ask("k1", { accept, "last-event-id": String(frames.length) });
  expect([over.status, await over.text()]).toEqual([204, ""]);
});

/** Adds each event of a stream as its number and its type. */
async function readFrames(body: ReadableStream<Uint8Array> | null, frames: string[]): Promise<void> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const whole = text.split("\n\n");
    text = whole.pop() ?? "";
    for (const frame of whole) {
      const [, id, type] = /^id: (\d+)\nevent: (\S+)/.exec(frame) ?? [];
      if (id !== undefined) frames.push(`${id} ${type}`);
    }
  }
}

test("a response in the background goes on in the next process, and its reader misses nothing", async () => {
  const { serve, readLines } = await openHome();
  const first = await serve();
  const asked = { model: "duet-agent", input: "Write a line", background: true, stream: true as const };
  const seen: ResponseStreamEvent[] = [];
  const reading = (async () => {
    for await (const event of await first.client.responses.create(asked)) seen.push(event);
  })().catch(() => {});
  await expect.poll(readLines).toBe("line\n");
  await expect.poll(() => JSON.stringify(seen)).toContain("write_line");
  await kill(first);
  await reading;

  const { client } = await serve();
  const id = seen[0]?.type === "response.created" ? seen[0].response.id : "";
  const rest = await client.responses.retrieve(id, { stream: true, starting_after: seen.length - 1 });
  const response = checkEvents([...seen, ...(await Array.fromAsync(rest))]);
  expect(response.status).toBe("completed");
  expect(JSON.stringify(response.output.at(-1))).toContain("Nobody knows whether the line was written.");
  expect(await client.responses.retrieve(id)).toMatchObject({ id, status: "completed" });
});
