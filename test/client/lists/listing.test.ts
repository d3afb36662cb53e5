import { expect, test } from "vitest";
import { readTool } from "../../../src/client/lists/listing.ts";
import { createServerRedact } from "../../../src/client/redact.ts";
import { stdio } from "../servers.ts";

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
