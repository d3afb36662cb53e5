import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startHttpDuet } from "../../../fakes/http-duet.ts";
import { call, messagesOf, modernHeaders, modernMeta } from "../../../fakes/http-interface.ts";
import { compileCache, temporaryFolder } from "../../../fakes/program.ts";

/** A gateway in this process, over HTTP, with the hand-written server below. */
async function startGateway(settings: Record<string, unknown> = {}): Promise<{ url: string }> {
  const below = { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts")], env: compileCache() };
  const { origin } = await startHttpDuet({
    settings: { mcpServers: { below }, ...settings },
    environment: { PATH: process.env.PATH ?? "", DUET_HOME: await temporaryFolder() },
    exposing: { expose: "tools" },
  });
  return { url: `${origin}/mcp` };
}

test("a call whose headers contradict its arguments, or lack one, is refused, and one whose headers fit is made", async () => {
  const { url } = await startGateway();
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...modernHeaders("tools/call", "below__regional"), ...headers },
      body: JSON.stringify(call(1, "below__regional", { region: "eu" }, modernMeta)),
    });
    return { status: response.status, answer: messagesOf(await response.text()).at(-1) };
  };
  const mismatch = { status: 400, answer: { error: { code: -32020 } } };
  expect(await send({ "mcp-param-region": "us" })).toMatchObject(mismatch);
  expect(await send({})).toMatchObject(mismatch);
  const made = { status: 200, answer: { result: { content: [{ text: "region eu" }] } } };
  expect(await send({ "mcp-param-region": "eu" })).toMatchObject(made);
});
