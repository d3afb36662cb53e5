import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { openRunService } from "../../src/runs/run-service.ts";
import { createOperatorRoutes } from "../../src/server/operator/operator-routes.ts";
import { browse } from "../client/oauth/signing-in.ts";
import { fakePath } from "../client/servers.ts";
import { startAuthorization } from "../fakes/authorization-server.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { compileCache, temporaryFolder } from "../fakes/program.ts";

/** Serves the operator's routes of a configuration file that has these settings. */
async function serveOperator(settings: Record<string, unknown>) {
  const folder = await temporaryFolder();
  const file = join(folder, "duet.config.json");
  const all = { locale: "en", search: { enabled: false }, serve: { http: { operator: "local" } }, ...settings };
  await writeFile(file, JSON.stringify(all));
  const environment = { HOME: folder, DUET_HOME: join(folder, "home"), PATH: folder };
  const config = await loadConfig({ config: file }, environment, folder);
  const duet = await openDuet(config);
  onTestFinished(() => duet.close());
  const service = openRunService(duet, { settings: config.serve });
  onTestFinished(() => void service.runs.stop());
  const lines: string[] = [];
  const problems = { read: () => ({ failures: [], tools: [] }) };
  const routes = createOperatorRoutes(service, problems, config, (line) => void lines.push(line));
  const { port, close } = await startHttpFace({ routes });
  onTestFinished(close);
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/operator/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  return { folder, send, lines, readSettings: async () => JSON.parse(await readFile(file, "utf8")) };
}

const node = (...args: string[]) => ({ command: process.execPath, args, env: compileCache() });

test("a tool that has changed is shown with both sides and approved as it was shown, and not as it is by then", async () => {
  const tools = join(await temporaryFolder(), "tools.json");
  const offer = (description: string) =>
    writeFile(tools, JSON.stringify([{ name: "find", description, inputSchema: { type: "object" } }]));
  await offer("Finds words.");
  const own = node(fakePath, "--mode", "tools-from-file", "--tools", tools);
  const { send, lines } = await serveOperator({ mcpServers: { own } });
  const list = async () => (await send("GET", "approvals")).body.approvals;
  expect(await list()).toMatchObject([{ server: "own", name: "own__find", kind: "trusted" }]);
  const restart = async () => {
    const { status, body } = await send("POST", "servers/own/restart");
    expect([status, body.servers[0].state]).toEqual([200, "ready"]);
  };
  await offer("Finds words and sends them out.");
  await restart();
  const [shown] = await list();
  expect(shown).toMatchObject({ name: "own__find", kind: "changed" });
  expect(shown.lines).toEqual(
    expect.arrayContaining([
      { sign: "-", text: "  Finds words." },
      { sign: "+", text: "  Finds words and sends them out." },
    ]),
  );
  await offer("Finds words and deletes them.");
  await restart();
  expect((await send("POST", "approvals", { ids: [shown.id] })).status).toBe(409);
  const [newest] = await list();
  expect(newest).toMatchObject({ name: "own__find", kind: "changed" });
  expect(await send("POST", "approvals", { ids: [newest.id] })).toMatchObject({ status: 200, body: { approvals: [] } });
  expect(lines.at(-1)).toBe("the operator approved tools: own__find");
  expect((await send("GET", "tools")).body.tools).toContainEqual(
    expect.objectContaining({ name: "own__find", source: "own", description: "Finds words and deletes them." }),
  );
});

test("the log of a server shows its last words without secrets, and neither its command nor its environment", async () => {
  const script = 'console.error("cannot open with " + process.env.TOKEN); process.exit(1)';
  const own = { command: process.execPath, args: ["-e", script], env: { TOKEN: "sk-CANARY-0123456789" } };
  const { send } = await serveOperator({ mcpServers: { own } });
  const servers = await send("GET", "servers");
  expect(servers.body.servers).toMatchObject([{ name: "own", state: "failed", sign_in: { possible: false } }]);
  const log = await send("GET", "servers/own/log");
  expect(log.body.stderr.join("\n")).toContain("cannot open with ");
  const settings = await send("GET", "settings");
  expect(settings.status).toBe(200);
  for (const { text } of [servers, log, settings]) expect(text).not.toMatch(/CANARY|process\.exit/);
  expect((await send("POST", "servers/own/restart")).body.servers[0].state).toBe("failed");
  for (const path of ["log", "restart", "sign-in"])
    expect(
      (await send(path === "log" ? "GET" : "POST", `servers/other/${path}`, path === "log" ? undefined : {})).status,
    ).toBe(404);
});

test("a person signs in to a server from the page, which then has its tools, and signs out", async () => {
  const { url } = await startAuthorization();
  const { send } = await serveOperator({ mcpServers: { docs: { url } } });
  const read = async () => (await send("GET", "servers")).body.servers[0];
  expect(await read()).toMatchObject({ state: "failed", sign_in: { possible: true, signed_in: false, state: null } });
  expect((await send("POST", "servers/docs/sign-in", { ended_at: "http://127.0.0.1/?code=1" })).status).toBe(409);
  const begun = (await send("POST", "servers/docs/sign-in", {})).body.servers[0].sign_in;
  expect(begun).toMatchObject({ state: "waiting", address: expect.stringContaining("/authorize") });
  const joined = (await send("POST", "servers/docs/sign-in", {})).body.servers[0].sign_in;
  expect(joined.address).toBe(begun.address);
  // The browser is on another machine: its last address is brought by hand.
  const { headers } = await fetch(begun.address, { redirect: "manual" });
  await send("POST", "servers/docs/sign-in", { ended_at: headers.get("location") ?? "" });
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({
    ...{ state: "ready", tools: 2 },
    sign_in: { signed_in: true, state: "done", address: null, message: "signed in: 2 tools" },
  });
  expect(JSON.stringify(await read())).not.toContain("CANARY");
  const gone = (await send("DELETE", "servers/docs/sign-in")).body.servers[0];
  expect(gone).toMatchObject({ state: "failed", tools: 2, sign_in: { signed_in: false, state: null } });
  const again = (await send("POST", "servers/docs/sign-in", {})).body.servers[0].sign_in;
  expect((await browse(new URL(again.address))).status).toBe(200);
});

test("a tool is allowed, asked about or denied by its name in the file, and not where another rule decides", async () => {
  const { send, readSettings, lines } = await serveOperator({ tools: { deny: ["table_*"] } });
  const find = ({ body }: Awaited<ReturnType<typeof send>>, name: string) =>
    body.tools.find((tool: { name: string }) => tool.name === name);
  expect(find(await send("GET", "tools"), "calculator")).toMatchObject({
    permission: "allow",
    next: "allow",
    rule: null,
  });
  const change = (name: string, permission: string) => send("PATCH", "tools", { name, permission });
  expect(find(await change("calculator", "ask"), "calculator")).toMatchObject({
    ...{ permission: "allow", next: "ask", rule: "calculator" },
  });
  expect((await readSettings()).tools).toEqual({ deny: ["table_*"], ask: ["*:destructive", "calculator"] });
  expect(find(await change("calculator", "deny"), "calculator").next).toBe("deny");
  expect((await readSettings()).tools).toEqual({ deny: ["table_*", "calculator"], ask: ["*:destructive"] });
  expect(find(await change("calculator", "allow"), "calculator").next).toBe("allow");
  expect((await readSettings()).tools).toEqual({ deny: ["table_*"], ask: ["*:destructive"] });
  const other = await change("table_query", "allow");
  expect([other.status, other.body.detail]).toEqual([400, expect.stringContaining('the rule tools.deny "table_*"')]);
  expect((await change("nothing", "allow")).status).toBe(404);
  expect(lines[0]).toBe("the operator set the tool calculator to ask");
});

test("a prompt is written into a folder beside the file, by the rules by which prompts are read", async () => {
  const { folder, send, readSettings } = await serveOperator({});
  const write = (text: string | null, name = "answer") => send("PATCH", "prompts", { name, locale: "en", text });
  const find = ({ body }: Awaited<ReturnType<typeof send>>) =>
    body.prompts.find((prompt: { name: string }) => prompt.name === "answer");
  expect(find(await send("GET", "prompts"))).toMatchObject({ used_for: "the answer", en: { file: null } });
  const wrong = await write("Be kind to {nobody}. {marker}");
  expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining("unknown variable {nobody}")]);
  expect((await write("Be kind to all.")).status).toBe(400);
  expect((await write("x", "../answer")).status).toBe(400);
  expect([await readdir(folder), (await readSettings()).prompts]).toEqual([
    expect.not.arrayContaining(["prompts"]),
    undefined,
  ]);
  const file = join(folder, "prompts", "en", "answer.md");
  expect(find(await write("Be kind. {marker}"))).toMatchObject({ en: { text: "Be kind. {marker}", file } });
  expect((await readSettings()).prompts).toEqual({ directory: "./prompts" });
  expect(find(await write(null))).toMatchObject({ en: { file: null } });
  expect(await readdir(join(folder, "prompts", "en"))).toEqual([]);

  const full = await serveOperator({});
  await mkdir(join(full.folder, "prompts"));
  await writeFile(join(full.folder, "prompts", "notes.txt"), "Not a prompt.");
  const refused = await full.send("PATCH", "prompts", { name: "answer", locale: "en", text: "Be kind. {marker}" });
  expect([refused.status, (await full.readSettings()).prompts]).toEqual([400, undefined]);
});

test("the agents are listed with what is installed, and without their commands and environment", async () => {
  const env = { TOKEN: "CANARY" };
  const { send } = await serveOperator({
    agents: { helper: { description: "Helps." }, codex: { acp: { args: ["CANARY"], env } } },
  });
  const { body, text } = await send("GET", "agents");
  expect(body.agents.slice(0, 2)).toMatchObject([
    { name: "helper", description: "Helps.", kind: "own", configured: true, installed: null, mode: "agent" },
    { name: "codex", kind: "program", configured: true, installed: false, install: expect.stringContaining("npm") },
  ]);
  expect(body.agents.slice(2).map(({ configured }: { configured: boolean }) => configured)).not.toContain(true);
  expect(text + (await send("GET", "settings")).text).not.toContain("CANARY");
});
