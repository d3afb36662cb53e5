import { expect, test } from "vitest";
import { readReply } from "../../../src/runs/input/host-question.ts";
import { eras, linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../mcp-interface.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };

/** A host whose user replies this, one reply after the other, and the last one for good. */
async function askWith(era: (typeof eras)[number], ...replies: object[]) {
  const { mcp, model, wiped } = await openFace({ turns: [[wipe], "Done."] });
  const messages: string[] = [];
  const host = await linkHost(mcp, {
    era,
    onQuestion({ message }) {
      messages.push(String(message));
      return (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
    },
  });
  const { outcome } = await host.ask("Wipe disk a.");
  return { outcome, wiped, messages, read: JSON.stringify(model.requests[1]?.messages) };
}

const accept = (content?: unknown) => ({ action: "accept", ...(content !== undefined && { content }) });
const isRefused = 'The last reply does not count: invalid value "zzz" for scope (allowed: once, conversation).\n';

test.each(eras)("a value that the form does not offer is no consent, and is asked for again: %s", async (era) => {
  const { outcome, wiped, messages } = await askWith(era, accept({ scope: "zzz" }), accept({ scope: "once" }));
  expect([outcome.status, wiped]).toEqual(["complete", [{ disk: "a" }]]);
  expect(messages).toEqual([messages[0], `${isRefused}${messages[0]}`]);
});

test.each(eras)("a host that replies with nothing else has given no consent: %s", async (era) => {
  const { outcome, wiped, messages, read } = await askWith(era, accept({ scope: "zzz" }));
  expect([outcome.status, wiped, messages.length]).toEqual(["complete", [], 3]);
  expect(read).toContain("it needs the user's consent, and no valid reply came");
});

test.each(eras.flatMap((era) => [5, ["once"], true, ""].map((scope) => [era, scope] as const)))(
  "a value of another type is no consent: %s, %j",
  async (era, scope) => {
    expect((await askWith(era, accept({ scope }))).wiped).toEqual([]);
  },
);

test.each(["once", [], { scope: { is: "once" } }])("content of another form is no consent: %j", async (content) => {
  // The official client of the 2026 era sends no such reply.
  expect((await askWith("v1", accept(content))).wiped).toEqual([]);
  expect((await askWith("v2 legacy", accept(content))).wiped).toEqual([]);
  expect(readReply(accept(content))).toBeUndefined();
});

test.each(eras.flatMap((era) => [undefined, {}, { note: "zzz" }].map((content) => [era, content] as const)))(
  "a consent without a scope is one for this call, whatever else it holds: %s, %j",
  async (era, content) => {
    const { wiped, messages } = await askWith(era, accept(content));
    expect([wiped, messages.length]).toEqual([[{ disk: "a" }], 1]);
  },
);
