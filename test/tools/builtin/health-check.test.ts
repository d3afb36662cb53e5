import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/kit/json.ts";
import type { Locale } from "../../../src/kit/locale.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { createHealthCheck } from "../../../src/tools/builtin/health-check.ts";
import { createToolFetch } from "../../../src/tools/outgoing/create-tool-fetch.ts";
import { testContext } from "../context.ts";
import { certificate } from "../outgoing/certificate.ts";
import { type Listener, startListener, startSite } from "../outgoing/servers.ts";

async function check(args: JsonObject, { locale = "en" as Locale, reach = ["127.0.0.1"], ca = "" } = {}) {
  const names: Record<string, string[]> = { "a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"] };
  const parts = { lookup: async (host: string) => names[host] ?? [], ...(ca === "" ? {} : { ca }) };
  const guardedFetch = createToolFetch({ reach, ports: [80, 443] }, parts);
  const tool = createHealthCheck(guardedFetch, locale, () => Date.parse("2026-11-21T00:00:00Z"));
  const { ok, text } = await tool.run(args, testContext({ locale }));
  expect(ok).toBe(true);
  return text.replaceAll(/\d+ ms/g, "N ms").split("\n");
}

/** The port of a service that no machine has any more: nothing listens there, and no test is given it. */
const closedPort = 9;

describe("a line for each target, in their order, under a count", () => {
  test("of web addresses", async () => {
    const site = await startSite(({ url }, response) => {
      const status = Number(url?.slice(1));
      if (status === 301) response.writeHead(301, { location: "/200" }).end();
      else response.writeHead(status).end("body");
    });
    const at = (path: string) => `http://127.0.0.1:${site.port}/${path}`;
    expect(await check({ targets: [at("200"), at("404"), at("503"), at("301")] })).toEqual([
      "2 of 4 up",
      `✓ ${at("200")} · 200 OK · N ms`,
      `✗ ${at("404")} · 404 Not Found · N ms`,
      `✗ ${at("503")} · 503 Service Unavailable · N ms`,
      `✓ ${at("301")} · 200 OK · N ms`,
    ]);
  });

  test("of ports", async () => {
    const listener = await startListener();
    const port = closedPort;
    const targets = [`127.0.0.1:${listener.port}`, `a.test:${listener.port}`, `127.0.0.1:${port}`, "nowhere.test:80"];
    expect(await check({ targets }, { reach: ["127.0.0.1"] })).toEqual([
      "2 of 4 up",
      `✓ 127.0.0.1:${listener.port} · open · N ms`,
      `✓ a.test:${listener.port} · open · N ms`,
      `✗ 127.0.0.1:${port} · 127.0.0.1:${port}: the connection was refused; nothing listens there · N ms`,
      "✗ nowhere.test:80 · nowhere.test:80: the host was not found · N ms",
    ]);
    expect(listener.received).toBe("");
  });

  test("in Chinese", async () => {
    const [listener, port] = [await startListener(), closedPort];
    const targets = [`127.0.0.1:${listener.port}`, `http://127.0.0.1:${port}/`, "10.0.0.1:80"];
    expect(await check({ targets }, { locale: "zh" })).toEqual([
      "3 个目标，1 个正常",
      `✓ 127.0.0.1:${listener.port} · 端口已打开 · N ms`,
      `✗ http://127.0.0.1:${port}/ · 127.0.0.1:${port}：连接被拒绝，该端口没有服务 · N ms`,
      '✗ 10.0.0.1:80 · 没有访问 10.0.0.1:80：这是内网地址；如需访问，把 "10.0.0.1:80" 加入 web.reach · N ms',
    ]);
  });

  test("of certificates: days left, and what is wrong with them", async () => {
    const site = await startSite((_request, response) => response.end("x"), { secure: true });
    const targets = [`https://a.test:${site.port}/`, `https://b.test:${site.port}/`];
    expect(await check({ targets }, { ca: certificate })).toEqual([
      "1 of 2 up",
      `✓ ${targets[0]} · 200 OK · N ms · certificate expires in 34008 days`,
      `✗ ${targets[1]} · b.test:${site.port}: its TLS certificate is for another host · N ms`,
    ]);
    expect((await check({ targets: [targets[0] ?? ""] }))[1]).toContain(
      "its TLS certificate is not trusted (self-signed, or of an unknown issuer)",
    );
  });

  test("of a server that speaks no TLS", async () => {
    const site = await startSite((_request, response) => response.end("x"));
    const [, line] = await check({ targets: [`https://127.0.0.1:${site.port}/`] });
    expect(line).toContain(": the server there does not speak TLS · ");
  });

  test("of one that never answers: only that one waits for its time", async () => {
    const [silent, site] = [await startListener(), await startSite((_request, response) => response.end("x"))];
    const targets = [`http://127.0.0.1:${silent.port}/`, `http://127.0.0.1:${site.port}/`];
    expect(await check({ targets, timeout_s: 3 })).toEqual([
      "1 of 2 up",
      `✗ ${targets[0]} · The request to 127.0.0.1:${silent.port} timed out after 3 s · N ms`,
      `✓ ${targets[1]} · 200 OK · N ms`,
    ]);
    await silent.closed;
  });
});

test("ten are checked side by side, and no more", async () => {
  let open = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const site = await startSite((_request, response) => {
    open += 1;
    most = Math.max(most, open);
    waiting.push(() => {
      open -= 1;
      response.end("x");
    });
    // All that may come at once are there.
    if (waiting.length === 10) for (const release of waiting.splice(0)) release();
  });
  const targets = Array.from({ length: 20 }, (_, n) => `http://127.0.0.1:${site.port}/${n}`);
  const [summary] = await check({ targets, timeout_s: 20 });
  expect([summary, most]).toEqual(["20 of 20 up", 10]);
});

test("ends with the run", async () => {
  const silent: Listener = await startListener();
  const controller = new AbortController();
  const tool = createHealthCheck(createToolFetch({ reach: ["127.0.0.1"], ports: [] }), "en", Date.now);
  const context = testContext({ signal: controller.signal });
  const waiting = tool.run({ targets: [`http://127.0.0.1:${silent.port}/`, `127.0.0.1:${silent.port}`] }, context);
  setImmediate(() => controller.abort(new Error("over")));
  await expect(waiting).rejects.toThrow("over");
});

describe("what is refused", () => {
  const web = { hosts: [], reach: [], ports: [80] };
  const run = (args: JsonObject, locale: Locale) =>
    createBuiltinTools({ roots: [], locale, search: undefined, web })
      .find(({ name }) => name === "health_check")
      ?.run(args, testContext({ locale }));

  test.each<[JsonObject, string, string]>([
    [{}, "targets: this field is required (missing)", "targets: 字段是必需的（缺失）"],
    [{ targets: [] }, "targets: must", "targets: "],
    [{ targets: "a.test:80" }, "targets: must be", "targets: 必须是"],
    [
      { targets: ["a.test:80", "a.test"] },
      'targets[1]: must be an http(s):// URL, or host:port such as db.example.com:5432 or [::1]:80 (current value: "a.test")',
      'targets[1]: 必须是 http(s):// 网址，或 主机:端口（如 db.example.com:5432、[::1]:80）（当前值: "a.test"）',
    ],
    [{ targets: ["a.test:0"] }, "targets[0]: must be", "targets[0]: 必须是"],
    [{ targets: ["a.test:99999"] }, "targets[0]: must be", "targets[0]: 必须是"],
    [{ targets: ["ftp://a.test"] }, "targets[0]: must be", "targets[0]: 必须是"],
    [{ targets: ["u@a.test:80"] }, "targets[0]: must be", "targets[0]: 必须是"],
    [{ targets: Array(21).fill("a.test:80") }, "targets: ", "targets: 最多只能有 20 项"],
    [{ targets: ["a.test:80"], timeout_s: 31 }, "timeout_s: must be <= 30", "timeout_s: 必须 <= 30"],
    [{ targets: ["a.test:80"], extra: 1 }, "extra: ", "extra: 不是允许的字段"],
  ])("%j", async (args, en, zh) => {
    const [english, chinese] = [await run(args, "en"), await run(args, "zh")];
    for (const result of [english, chinese]) {
      expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    }
    expect(english?.text).toContain(en);
    expect(chinese?.text).toContain(zh);
  });

  test.each(["[::1]:80", "[::ffff:127.0.0.1]:80", "localhost:80", "2130706433:80", "http://0x7f.1/"])(
    "%s is a target, and a private one",
    async (target) => {
      const result = await run({ targets: [target] }, "en");
      expect(result).toMatchObject({ ok: true });
      expect(result?.text).toMatch(/^0 of 1 up\n✗ .* was not contacted: it .*this machine; add ".*" to web\.reach/);
    },
  );
});
