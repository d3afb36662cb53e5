import { expect, test } from "vitest";
import { linkHost } from "../fakes/linked-hosts.ts";
import { openFace } from "./mcp-interface.ts";

const wipe = [{ id: "1", name: "wipe_disk", input: { disk: "a" } }];

test.each([
  ["all callers", { maxRuns: 1 }],
  ["one caller", { limits: { maxRuns: 1 } }],
])("a run that only waits for a person takes no place of %s, but as many may wait as may run", async (_, serve) => {
  const { mcp, wiped } = await openFace({ turns: [wipe, "Hello.", wipe, "Wiped."], config: { serve } });
  const host = await linkHost(mcp);
  const { confirmation } = (await host.ask("Wipe disk a.")).outcome;
  expect((await host.ask("Hello?")).outcome).toMatchObject({ status: "complete", response: "Hello." });
  expect((await host.ask("Wipe it once more.")).outcome.status).toBe("needs_confirmation");
  const refused = await host.ask("And now?");
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("2 runs are waiting for a person's reply");
  const confirmed = await host.ask("yes", { confirmation: confirmation?.token });
  expect(confirmed.outcome.status).toBe("complete");
  expect(wiped).toEqual([{ disk: "a" }]);
});

test.each([".", ".."])("%s is no name of a conversation, as no address could name it", async (conversation_id) => {
  const { mcp } = await openFace({ turns: [] });
  const refused = await (await linkHost(mcp)).ask("Hello?", { conversation_id });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain(`conversation_id: "${conversation_id}" is not allowed`);
});
