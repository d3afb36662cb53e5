import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ownPostgres, query, startPostgres, type TestPostgres } from "../../fakes/postgres.ts";
import { programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { requires } from "../../runner/requirements.ts";

/** A tool that writes when it begins and when it ends, which it does once a file is there. */
const gated = (journal: string, gate: string): string => `import { appendFileSync, existsSync } from "node:fs";
export default {
  name: "write_line",
  description: "Writes a line.",
  inputSchema: { type: "object", properties: {} },
  async run() {
    appendFileSync(${JSON.stringify(journal)}, "begun ");
    while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(${JSON.stringify(journal)}, "ended ");
    return "The line was written.";
  },
};
`;

interface Replica {
  child: ChildProcess;
  /** Holds what it has written to stderr. */
  log: string[];
  ask(headers?: Record<string, string>): Promise<Response>;
  get(path: string): Promise<Response>;
}

describe("replicas on one database", requires(ownPostgres), () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  /** Servers of one configuration, whose model asks for a line to be written. */
  async function openReplicas() {
    const provider = await startFakeProvider();
    onTestFinished(provider.close);
    provider.script("one", { toolCalls: [{ name: "write_line", arguments: {} }] }, { text: "It is done." });
    const folder = await temporaryFolder();
    const [journal, gate] = [join(folder, "lines"), join(folder, "gate")];
    await mkdir(join(folder, "tools"));
    await writeFile(join(folder, "tools", "write-line.mjs"), gated(journal, gate));
    const models = {
      functionCall: { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" },
    };
    const url = await server.createDatabase();
    const config = join(folder, "duet.config.json");
    const serving = { http: { grace: 60 }, onDisconnect: "finish" };
    await writeFile(
      config,
      JSON.stringify({ models, tools: { directory: "./tools" }, store: { url }, serve: serving, locale: "en" }),
    );

    async function serve(): Promise<Replica> {
      const home = await temporaryFolder();
      const env = await programEnvironment({ DUET_HOME: home, OPENAI_API_KEY: "sk-test-openai-0001" });
      const child = await startProgram(["serve", "--http", "0", "--config", config], { env });
      const log: string[] = [];
      const origin = Promise.withResolvers<string>();
      createInterface({ input: child.stderr }).on("line", (line) => {
        log.push(line);
        const found = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
        if (found !== undefined) origin.resolve(found);
      });
      const base = await origin.promise;
      return {
        child,
        log,
        ask: (headers = {}) =>
          fetch(`${base}/agent/chat`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify({ message: "Write a line" }),
          }),
        get: (path) => fetch(`${base}${path}`),
      };
    }

    return {
      serve,
      provider,
      url,
      readLines: async () => readFile(journal, "utf8").catch(() => ""),
      open: () => writeFile(gate, ""),
      /** Waits for the end of the only run, wherever it is carried out, and gives its trace's outcome. */
      async waitForEnd() {
        const readState = () => query(url, "SELECT run, state, epoch FROM journal_runs");
        await expect.poll(readState, { timeout: 60_000 }).toEqual([expect.objectContaining({ state: "ended" })]);
        const [row] = await readState();
        return { epoch: Number(row?.epoch), runId: String(row?.run) };
      },
    };
  }

  test("a replica that is asked to end waits for its call, lets the run go, and another one goes on within a second", async () => {
    const { serve, open, readLines, waitForEnd, provider } = await openReplicas();
    const [first, second] = [await serve(), await serve()];
    const reading = (await first.ask({ accept: "text/event-stream" })).text();
    await expect.poll(readLines).toBe("begun ");
    const ended = once(first.child, "close");
    first.child.kill("SIGTERM");
    await expect.poll(() => first.log.join("\n")).toContain("will go on in another process");
    expect((await second.get("/readyz")).status).toBe(200);
    await open();
    const { epoch, runId } = await waitForEnd();
    expect([epoch, await readLines()]).toEqual([2, "begun ended "]);
    const stream = await reading;
    expect(stream).toContain('"type":"tool-start"');
    expect(stream).not.toContain("run-end");
    expect(await (await second.get(`/agent/runs/${runId}`)).json()).toMatchObject({
      status: "complete",
      response: "It is done.",
      tool_calls: [{ ok: true, result: "The line was written." }],
    });
    expect(provider.requests("one")).toHaveLength(2);
    expect(await ended).toEqual([0, null]);
  });

  test("a replica that stands still loses its run after its lease; when it comes back it does nothing more of it", async () => {
    const { serve, open, readLines, waitForEnd, provider } = await openReplicas();
    const first = await serve();
    const asked = first.ask();
    await expect.poll(readLines).toBe("begun ");
    first.child.kill("SIGSTOP");
    const second = await serve();
    const { epoch, runId } = await waitForEnd();
    expect([epoch, await readLines()]).toEqual([2, "begun "]);
    expect(await (await second.get(`/agent/runs/${runId}`)).json()).toMatchObject({
      tool_calls: [{ ok: false, result: expect.stringContaining("may have taken effect") }],
    });
    first.child.kill("SIGCONT");
    const response = await asked;
    // Whoever has asked it gets what the other one has come to.
    expect(await response.json()).toMatchObject({ run_id: runId, status: "complete", response: "It is done." });
    await open();
    expect(provider.requests("one")).toHaveLength(2);
  });

  test("while the database is away a question is refused at once, a call ends and waits to be recorded, and nothing is unknown afterwards", async () => {
    const { serve, open, readLines, waitForEnd, provider } = await openReplicas();
    const first = await serve();
    const asked = first.ask();
    await expect.poll(readLines).toBe("begun ");
    await server.kill();
    await expect.poll(async () => (await first.get("/readyz")).status).toBe(503);
    const refused = await first.ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ detail: expect.not.stringContaining("postgres://") });
    await open();
    await expect.poll(readLines).toBe("begun ended ");
    const late = await serve();
    expect((await late.ask()).status).toBe(503);
    expect(provider.requests("one")).toHaveLength(1);
    await server.start();
    expect(await waitForEnd()).toMatchObject({ epoch: 1 });
    expect(await (await asked).json()).toMatchObject({ status: "complete", tool_calls: [{ ok: true }] });
    expect(await readLines()).toBe("begun ended ");
    await expect.poll(async () => (await late.get("/readyz")).status).toBe(200);
    expect(late.log.filter((line) => line.includes("cannot be used"))).toHaveLength(1);
  });
});
