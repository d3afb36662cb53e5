import { Anthropic } from "@anthropic-ai/sdk/client";
import { OpenAI } from "openai/client";
import { expect, test } from "vitest";
import { apiVersion } from "../../../src/providers/wires/anthropic-messages/api-version.ts";
import { toAddress } from "../../../src/providers/wires/request-address.ts";

// The vendors' packages are the peers here: what they would send decides what we send, but for who we are.
type BuiltRequest = { url: string; req: { headers: Headers } };
const ours = ["accept", "authorization", "content-type", "anthropic-version", "anthropic-beta"];

function headersOf({ req }: BuiltRequest): Record<string, string> {
  return Object.fromEntries([...req.headers].filter(([name]) => ours.includes(name)));
}

const bases = [
  "https://api.example.com/v1",
  "http://127.0.0.1:8000",
  "https://x.example/openai/v1?api-version=2026-01-01",
];

test.each(bases)(
  "a chat completion goes to the address and with the headers of OpenAI's package: %s",
  async (baseUrl) => {
    const client = new OpenAI({ apiKey: "sk-1", organization: null, project: null, baseURL: baseUrl });
    const theirs = await client.buildRequest({ method: "post", path: "/chat/completions", body: {} });
    const { url, headers } = toAddress({ baseUrl, apiKey: "sk-1" }, "/chat/completions");
    expect(url).toBe(theirs.url);
    expect(headers).toMatchObject(headersOf(theirs));
  },
);

test("a message goes to the address and with the headers of Anthropic's package, its version included", async () => {
  const baseUrl = "https://api.example.com";
  const client = new Anthropic({ apiKey: "sk-2", baseURL: baseUrl });
  const headers = { authorization: "Bearer sk-2" };
  const theirs = await client.buildRequest({ method: "post", path: "/v1/messages", body: {}, headers });
  const address = toAddress({ baseUrl, apiKey: "sk-2" }, "/v1/messages", { "anthropic-version": apiVersion });
  expect(address.url).toBe(theirs.url);
  expect(address.headers).toMatchObject(headersOf(theirs));
  expect(headersOf(theirs)).toHaveProperty("anthropic-version");
});

test("a request tells who sends it, and nothing of this machine", () => {
  const { headers } = toAddress({ baseUrl: "https://api.example.com" }, "/chat/completions");
  expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "content-type", "user-agent"]);
  expect(headers["user-agent"]).toMatch(/^duet-mcp\/\d/);
});
