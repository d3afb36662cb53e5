import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browse } from "../client/oauth/signing-in.ts";
import { startAuthorization } from "../fakes/authorization-server.ts";
import { collect, configFile, startProgram, temporaryFolder } from "../fakes/program.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const local = { command: "node", args: ["server.js"] };

/** The address that the program tells the person to go to. */
async function addressIn(stderr: AsyncIterable<unknown>): Promise<URL> {
  let text = "";
  for await (const chunk of stderr) {
    text += String(chunk);
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/authorize\S*(?=\s)/.exec(text) ?? [];
    if (address !== undefined) return new URL(address);
  }
  throw new Error(`No address: ${text}`);
}

test("duet login shows where to go, and duet tools has the tools from then on", async () => {
  const { url } = await startAuthorization();
  const config = await configFile({ mcpServers: { docs: { url } }, search: { enabled: false } });
  const env = { DUET_HOME: await temporaryFolder() };
  const before = await runProgram(["tools", "--config", config], { env });
  expect(`${before.stdout}${before.stderr}`).toContain("duet login docs");

  const child = await startProgram(["login", "docs", "--config", config], { env });
  const finished = collect(child);
  const page = await browse(await addressIn(child.stderr.iterator({ destroyOnReturn: false })));
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Go back to the terminal") });
  expect(await finished).toMatchObject({ code: 0, stdout: "Signed in to docs: 2 tools\n" });

  const after = await runProgram(["tools", "--config", config], { env });
  expect(after.stdout).toContain("docs__whoami");
  expect(`${after.stdout}${after.stderr}`).not.toContain("CANARY");
  expect(await readdir(join(env.DUET_HOME, "credentials"))).toHaveLength(1);

  const forgotten = await runProgram(["login", "--remove", "docs", "--config", config], { env });
  expect(forgotten).toMatchObject({ code: 0, stdout: "The sign-in to docs was deleted\n" });
  expect(await readdir(join(env.DUET_HOME, "credentials"))).toEqual([]);
});

test.each([
  ["en", "MCP server docs is unavailable; continuing without it: it needs you to sign in. Run: duet login docs\n"],
  ["zh", "MCP 服务器 docs 不可用，其余照常：需要登录。请运行 duet login docs\n"],
])("a question tells how to sign in to the server that it goes without (%s)", async (locale, line) => {
  const { url } = await startAuthorization();
  const config = await configFile({ mcpServers: { docs: { url } }, locale, search: { enabled: false } });
  const { stderr } = await runProgram(["ask", "2+2", "--config", config]);
  expect(stderr).toContain(`⚠ ${line}`);
});

test("the address can be pasted into the terminal, in Chinese as well", async () => {
  const { url } = await startAuthorization();
  const config = await configFile({ mcpServers: { docs: { url } }, locale: "zh" });
  const child = await startProgram(["login", "docs", "--config", config]);
  const finished = collect(child);
  const address = await addressIn(child.stderr.iterator({ destroyOnReturn: false }));
  const response = await fetch(address, { redirect: "manual" });
  child.stdin.write(`${response.headers.get("location")}\n`);
  const { code, stdout, stderr } = await finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "已登录 docs：2 个工具\n" });
  expect(stderr).toContain("请在浏览器中登录 docs");
});

test("Ctrl-C ends a sign-in", async () => {
  const { url } = await startAuthorization();
  const config = await configFile({ mcpServers: { docs: { url } } });
  const child = await startProgram(["login", "docs", "--config", config]);
  const finished = collect(child);
  await addressIn(child.stderr.iterator({ destroyOnReturn: false }));
  child.kill("SIGINT");
  expect((await finished).code).toBe(130);
});

test.each([
  ["nowhere", "there is no server nowhere in mcpServers (allowed: docs, robot)"],
  ["local", "local is a program that Duet starts, and needs no sign-in"],
  ["robot", "robot uses client_credentials and signs in by itself"],
])("duet login %s is refused in one line", async (server, line) => {
  const url = "https://mcp.example/mcp";
  const robot = { url, auth: { type: "client_credentials", clientId: "a", clientSecret: "CANARY-secret" } };
  const config = await configFile({ mcpServers: { docs: { url }, local, robot } });
  const { code, stdout, stderr } = await runProgram(["login", server, "--config", config]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain(line);
  expect(stderr).not.toContain("CANARY");
});
