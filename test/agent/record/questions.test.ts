import { expect, test } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { makeTool } from "../../fakes/events.ts";
import { leaveOut, play } from "./interrupted.ts";

const city = { kind: "form", from: "maps", message: "Which city?", schema: { type: "object" } } as const;
const page = { kind: "url", from: "maps", message: "Sign in.", url: "https://maps.example/sign-in" } as const;

/** A tool that asks two things side by side and then the first once more, in an order that each process may choose. */
function createAskingTool(order: readonly (typeof city | typeof page)[], replies: unknown[]): Tool {
  const tool = makeTool("work", () => ({ ok: true, text: "The way is known, and it is not a long one." }));
  return {
    ...tool,
    canRepeat: () => true,
    async run(args, context) {
      const asked = await Promise.all(order.map(async (question) => [question.kind, await context.elicit?.(question)]));
      replies.push(Object.fromEntries(asked), await context.elicit?.(city));
      return tool.run(args, context);
    },
  };
}

test("a call that is made again gets the answers that a person gave to its questions, whatever their order", async () => {
  const script = { decide: [[{ id: "c1", name: "work", input: {} }], "It is known."] };
  const answered: string[] = [];
  const answer = async ({ kind }: { kind: string }): Promise<ElicitationReply> => {
    answered.push(kind);
    return kind === "url" ? { action: "accept" } : { action: "accept", content: { n: answered.length } };
  };
  const whole: unknown[] = [];
  const first = await play(script, { tools: [createAskingTool([city, page], whole)], elicit: answer });
  expect(answered).toEqual(["form", "url", "form"]);
  const names = first.steps.map(({ name }) => name.replace(/:[0-9a-f]{16}/, ""));
  const cuts = names.flatMap((name, index) => (name.startsWith("answer:c1:") ? [index + 1] : []));
  expect(cuts).toHaveLength(3);
  for (const [index, cut] of cuts.entries()) {
    answered.length = 0;
    const steps = first.steps.slice(0, cut);
    const replies: unknown[] = [];
    const left = leaveOut(script, steps);
    await play(left, { tools: [createAskingTool([page, city], replies)], elicit: answer }, { ...first, steps });
    // Each answer is asked for once, in the one process or in the other.
    expect(answered).toHaveLength(2 - index);
    if (index === 2) expect(replies).toEqual(whole);
  }
});

test("a question that nobody has answered is asked again", async () => {
  const script = { decide: [[{ id: "c1", name: "work", input: {} }], "It is known."] };
  const tools = (replies: unknown[]) => [createAskingTool([page], replies)];
  const none = { canAsk: () => true, person: {}, ask: async () => undefined };
  const first = await play(script, { tools: tools([]), user: none });
  const asked: string[] = [];
  const elicit = async ({ kind }: { kind: string }): Promise<ElicitationReply> => {
    asked.push(kind);
    return { action: "decline" };
  };
  const steps = first.steps.filter(({ name }) => !name.startsWith("call:") && name !== "turn:decide:2");
  await play(leaveOut(script, steps), { tools: tools([]), elicit }, { ...first, steps });
  expect(asked).toEqual(["url", "form"]);
});

test("a call for which a yes to another one may have been enough is not made again", async () => {
  const calls = ["1", "2"].map((n) => ({ id: `c${n}`, name: "send", input: { n } }));
  const script = { decide: [[{ id: "c0", name: "read", input: {} }], calls, "Both are sent, as far as I know."] };
  const made: string[] = [];
  const work = (name: string, dataFlow: Tool["dataFlow"], ask: string[] = []): Tool =>
    withPermission(
      {
        ...makeTool(name, (args) => {
          made.push(`${name} ${"n" in args ? String(args.n) : ""}`);
          return { ok: true, text: `The tool ${name} has done all of its work.` };
        }),
        dataFlow,
      },
      createPermissionCheck({ askBeforeSending: true, ask }),
    );
  const tools = [
    work("read", { readsPrivate: true, readsUntrusted: true }),
    work("send", { sendsOut: true }, ["send"]),
  ];
  const setting = { tools, approveCall: async () => "once" as const };
  const first = await play(script, setting);
  expect(made).toEqual(["read ", "send 1", "send 2"]);
  made.length = 0;
  // The process ends when both are sent; one of them was asked about.
  const steps = first.steps.filter(({ name }) => !/^call:c[12]$/.test(name) && name !== "turn:decide:3");
  await play(leaveOut(script, steps), setting, { ...first, steps });
  expect(made).toEqual([]);
});
