// The MCP Inspector's command line as a referee, in both eras and over both transports.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRecord } from "../../../src/kit/json.ts";
import { forManyStarts, program } from "../../fakes/program.ts";
import { type ServedDuet, serveDuet } from "./matrix-served.ts";

let duet: ServedDuet;
let url = "";
beforeAll(async () => {
  duet = await serveDuet();
  ({ url } = await duet.overHttp());
});
afterAll(() => duet.close());

/** What the Inspector prints of the server's result; rejects when it exits with another code than 0. */
async function inspect(target: readonly string[], era: string, ...args: string[]): Promise<Record<string, unknown>> {
  const all = ["--cli", ...target, "--protocol-era", era, "--format", "json", "--connect-timeout", "120000", ...args];
  const options = { cwd: duet.folder, env: duet.env };
  const { stdout } = await promisify(execFile)(resolve("node_modules/.bin/mcp-inspector"), all, options);
  const { result } = JSON.parse(stdout);
  return isRecord(result) ? result : {};
}

/** The Inspector has a `--config` of its own, so the program finds its file where it is started. */
const targets = {
  stdio: () => {
    const env = Object.entries(duet.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return [process.execPath, ...forManyStarts, program, "serve", ...env];
  },
  HTTP: () => [url],
};

let answerSchema: unknown;

test("the Inspector finds no error in the schemas of the tools", async () => {
  const { tools } = await inspect(targets.stdio(), "modern", "--method", "tools/list", "--strict");
  const listed = Array.isArray(tools) ? tools.filter(isRecord) : [];
  expect(listed.map(({ name }) => name)).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
  answerSchema = listed[0]?.outputSchema;
});

// The list is that of the new era over stdio, and gateway.test.ts has the old one over HTTP: each of these starts takes a second.
describe.each([
  ["legacy", "stdio"],
  ["modern", "HTTP"],
] as const)("the Inspector, %s over %s", (era, transport) => {
  test("gets an answer, as text and by its schema", async () => {
    const response = `Hello, ${era} Inspector over ${transport}.`;
    duet.provider.script("cheap", { text: response });
    const call = ["--method", "tools/call", "--tool-name", "agent_ask"];
    const result = await inspect(targets[transport](), era, ...call, "--tool-arg", `question=${response}`);
    expect(result).toMatchObject({
      content: [{ type: "text", text: response }],
      structuredContent: { status: "complete", response },
    });
    const validate = new Ajv2020().compile(isRecord(answerSchema) ? answerSchema : false);
    validate(result.structuredContent);
    expect(validate.errors).toBe(null);
  });
});
