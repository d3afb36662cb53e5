import { expect, test } from "vitest";
import { startHttpDuet } from "../../../fakes/http-duet.ts";

test("a refusal has the shape that whoever asks expects: problem details, OpenAI's error, or JSON-RPC's", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "the-token" } });
  const refused = await Promise.all(
    ["/agent/nothing", "/v1/nothing", "/mcp"].map(async (path) => {
      const response = await fetch(`${origin}${path}`);
      return [response.status, response.headers.get("content-type"), await response.json()];
    }),
  );
  const detail = "the header Authorization is missing (allowed: Bearer, followed by the value of DUET_HTTP_TOKEN)";
  expect(refused).toEqual([
    [
      401,
      "application/problem+json",
      { type: "urn:duet:error:auth", title: "Unauthorized", status: 401, detail, code: "auth", hint: null },
    ],
    [401, "application/json", { error: { message: detail, type: "authentication_error", param: null, code: "auth" } }],
    [401, "application/json", { jsonrpc: "2.0", id: null, error: { code: -32_000, message: detail } }],
  ]);
});

test("what is neither MCP nor OpenAI's wire is refused as a problem, and a token that does not count is told as such", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "the-token" } });
  const headers = { authorization: "Bearer another-one" };
  const detail = "the token is not accepted (allowed: the value of DUET_HTTP_TOKEN)";
  for (const path of ["/metrics", "/openapi.json", "/nothing", "/agent/runs", "/mcpx"]) {
    const response = await fetch(`${origin}${path}`, { headers });
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(await response.json()).toMatchObject({ code: "auth", detail });
  }
});
