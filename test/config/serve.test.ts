import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runConfigCommand } from "../../src/cli/config-command.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { serveSchema } from "../../src/config/schema/file-schema.ts";
import { workplace } from "./workplace.ts";

/** The line that a configuration with this sign-in is refused with. */
function problemOf(auth: unknown): Promise<string> {
  return problemOfHttp({ auth });
}

async function problemOfHttp(http: unknown): Promise<string> {
  const directory = workplace({ "duet.config.json": JSON.stringify({ serve: { http }, locale: "en" }) });
  return loadConfig({}, { HOME: directory }, directory).then(
    () => "accepted",
    (thrown: Error) => thrown.message.replace(directory, ""),
  );
}

const issuer = "https://login.example.com/tenant";

describe("serve.http.auth", () => {
  test.each([
    { issuer },
    { issuer: "http://localhost:8080/realms/x" },
    { issuer: "http://127.0.0.1:8080" },
    { issuer: "http://[::1]:8080/" },
    { issuer, audience: "api://duet", jwksUrl: "https://keys.example.com/jwks?v=1", algorithms: ["ES256"] },
    { issuer, scopes: ["mcp:tools"], tools: { "https://example.com/maps": ["amap__*", "shell(ls *)"], none: [] } },
    { issuer, maxLifetime: 60, signIn: { clientId: "duet", scopes: [], duration: 2_592_000 } },
  ])("takes %j", async (auth) => {
    expect(await problemOf(auth)).toBe("accepted");
  });

  const secure = /an https address, or an http one of this machine/;
  const bad: [unknown, RegExp][] = [
    [{}, /serve\.http\.auth\.issuer/],
    [{ issuer: "http://login.example.com" }, secure],
    [{ issuer: "http://127.0.0.1.evil.example" }, secure],
    [{ issuer: "http://10.0.0.1" }, secure],
    [{ issuer: "ftp://login.example.com" }, secure],
    [{ issuer: "login.example.com" }, secure],
    [{ issuer: `${issuer}?a=b` }, /without \? and #/],
    [{ issuer, jwksUrl: "http://keys.example.com/jwks" }, secure],
    [{ issuer, algorithms: ["HS256"] }, /RS256.*EdDSA/],
    [{ issuer, algorithms: ["none"] }, /RS256.*EdDSA/],
    [{ issuer, algorithms: [] }, /algorithms/],
    [{ issuer, scopes: ["two words"] }, /ASCII without spaces/],
    [{ issuer, scopes: ['"'] }, /ASCII without spaces/],
    [{ issuer, tools: { maps: ["*:readOnly"] } }, /what a server claims never relaxes a rule/],
    [{ issuer, tools: { maps: ["a b"] } }, /NAME/],
    [{ issuer, secret: "x" }, /secret/],
    [{ issuer, signIn: {} }, /signIn\.clientId/],
    [{ issuer, signIn: { clientId: "duet", clientSecret: "x" } }, /clientSecret/],
    [{ issuer, signIn: { clientId: "duet", duration: 59 } }, /60/],
  ];
  test.each(bad)("refuses %j in one line that says what is allowed", async (auth, said) => {
    const line = await problemOf(auth);
    expect(line).toMatch(said);
    expect(line).toContain("serve.http.auth");
    expect(line).not.toContain("\n");
  });
});

describe("names that may call, and be called", () => {
  test.each([
    { allowedOrigins: ["https://app.example.com", "http://LOCALHOST:5173", "vscode-webview://abc", "http://[::1]:80"] },
    { allowedHosts: ["duet.example.com", "duet.example.com:8443", "[fd00::1]:80", "10.0.0.5"] },
  ])("%j are taken", async (http) => {
    expect(await problemOfHttp(http)).toBe("accepted");
  });

  test.each([
    ...["https://app.example.com/", "app.example.com", "*", "null", "https://*.example.com", "https://a@b", ""].map(
      (written) => ({ allowedOrigins: [written] }),
    ),
    ...["https://duet.example.com", "duet.example.com/", "*.example.com", "a b", "::1", ""].map((written) => ({
      allowedHosts: [written],
    })),
  ])("%j is refused, as no request could say it", async (http) => {
    expect(await problemOfHttp(http)).toMatch(/serve\.http\.allowed(Origins.*an origin without|Hosts.*a host with)/);
  });
});

describe("what each caller may take", () => {
  test.each([{}, { maxRuns: 1, runsPerMinute: 60, tokensPerDay: 1_000_000, costPerDay: 0.5 }])("takes %j", (limits) => {
    expect(serveSchema.parse({ limits }).limits).toEqual({ maxRuns: 100, ...limits });
  });

  test.each([{ maxRuns: 0 }, { runsPerMinute: 1.5 }, { tokensPerDay: -1 }, { costPerDay: 0 }, { perDay: 1 }])(
    "refuses %j, and names the key",
    (limits) => {
      expect(serveSchema.safeParse({ limits }).error?.message).toContain(Object.keys(limits)[0]);
    },
  );
});

test("duet config show prints the sign-in with where each part of it came from", async () => {
  const auth = { issuer, scopes: ["duet"], tools: { maps: ["amap__*"] } };
  const directory = workplace({ "duet.config.json": JSON.stringify({ serve: { http: { auth } } }) });
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  await runConfigCommand("show", { flags: {}, output: "text", directory, environment: { HOME: directory }, write });
  const rows = written
    .join("")
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  const row = (key: string) => rows.find(([name]) => name === key)?.slice(1);
  const file = join(directory, "duet.config.json");
  expect(row("serve.http.auth.issuer")).toEqual([issuer, file]);
  expect(row("serve.http.auth.scopes")).toEqual(['["duet"]', file]);
  expect(row("serve.http.auth.tools.maps")).toEqual(['["amap__*"]', file]);
  expect(row("serve.http.auth.algorithms")?.[1]).toBe("default");
});
