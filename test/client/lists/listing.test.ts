import { expect, test } from "vitest";
import { readTool } from "../../../src/client/lists/listing.ts";
import { createServerRedact } from "../../../src/client/redact.ts";
import { fake, readyPoolOf, stdio } from "../servers.ts";

test("a secret of its server is nowhere in a tool: not in its title, nor as a number in its schema", () => {
  const redact = createServerRedact(stdio("s", "x", [], { env: { ACCOUNT: "80451277" } }));
  const schema = (value: unknown) => ({ type: "object", properties: { account: { default: value } } });
  const tool = readTool(
    {
      name: "pay",
      title: "Pay from 80451277",
      description: "Pays from 80451277.",
      inputSchema: schema(80451277),
      outputSchema: schema("80451277"),
    },
    redact,
  );
  expect(JSON.stringify(tool)).not.toContain("80451277");
  expect(tool).toMatchObject({
    annotations: { title: "Pay from [redacted ACCOUNT]" },
    inputSchema: schema("[redacted ACCOUNT]"),
  });
});

test.each(['"x"', "{}", "5"])(
  "a server whose tools are %s cannot be used, and says what it has sent",
  async (tools) => {
    const listed = `{"jsonrpc":"2.0","id":ID,"result":{"tools":${tools}}}`;
    const pool = await readyPoolOf(fake("raw-replies", { args: ["--listed", listed] }));
    expect(pool.status()[0]).toMatchObject({
      state: "failed",
      error: {
        code: "bad_response",
        text: { en: expect.stringContaining(`what it sent as tools is not a list: ${tools}`) },
      },
    });
  },
);

test.each(["{}", '{"tools":null}', '{"tools":[]}'])("a server whose list is %s has no tools", async (result) => {
  const listed = `{"jsonrpc":"2.0","id":ID,"result":${result}}`;
  const pool = await readyPoolOf(fake("raw-replies", { args: ["--listed", listed] }));
  expect(pool.status()[0]).toMatchObject({ state: "ready", toolCount: 0, error: null });
});
