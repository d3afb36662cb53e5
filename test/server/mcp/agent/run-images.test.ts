import { expect, test } from "vitest";
import { keepNewest } from "../../../../src/server/mcp/agent/run-images.ts";
import { fakePath } from "../../../client/servers.ts";
import { images } from "../../../fakes/images.ts";
import { linkHost } from "../../../fakes/linked-hosts.ts";
import { openFace } from "../../../runs/mcp-interface.ts";

test("a screenshot of a server reaches the models, and the host that includes images", async () => {
  const shoot = [{ id: "1", name: "web__browser_take_screenshot", input: {} }];
  const { mcp, model } = await openFace({
    turns: [shoot, "The page is red.", "The page is still red.", shoot, "Red."],
    config: { mcpServers: { web: { command: process.execPath, args: [fakePath, "--mode", "screenshot"] } } },
  });
  const host = await linkHost(mcp);
  const shown = await host.ask("What does the page look like?", { include: ["images"], detail: "full" });
  expect(shown.outcome).toMatchObject({ status: "complete", tool_calls: [{ ok: true, arguments: { scale: "css" } }] });
  expect(shown.content).toMatchObject([
    { type: "text", text: expect.stringContaining("The page is red.") },
    { type: "image", mimeType: "image/png" },
  ]);
  const [, block] = shown.content;
  const data = block && "data" in block ? String(block.data) : "";
  expect(Buffer.from(data, "base64").subarray(0, 33)).toEqual(images.png.subarray(0, 33));
  expect(JSON.stringify(shown.outcome)).not.toContain(data.slice(0, 40));
  const seen = model.requests[1]?.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  expect(seen).toContainEqual(expect.objectContaining({ type: "image", width: 24, height: 16 }));

  // The next answer needed no tool, and who does not ask for images gets none.
  const { conversation_id } = shown.outcome;
  const again = await host.ask("And now?", { conversation_id, include: ["images"] });
  expect(again.content).toHaveLength(1);
  const silent = await host.ask("Once more?", { conversation_id });
  expect([silent.outcome.status, silent.content.length]).toEqual(["complete", 1]);
});

test("the images of runs that are joined share the limit of one result, the newest first", () => {
  const [first, second, third] = [6_000_000, 4_000_000, 5_000_000].map((bytes) => {
    return { type: "image", data: Buffer.alloc(bytes).toString("base64"), mimeType: "image/png" } as const;
  });
  if (!first || !second || !third) throw new Error("three images");
  expect(keepNewest([first, second, third])).toEqual([second, third]);
});
