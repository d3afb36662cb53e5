import { describe, expect, test } from "vitest";
import type { HookCall, HookEvent, HookReply, HookRunner } from "../../../src/core/hooks.ts";
import { createRunInbox } from "../../../src/core/run/run-inbox.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { withHooks } from "../../../src/tools/hooks/with-hooks.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { makeTool, noticesOf, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { play } from "../record/interrupted.ts";

/** Hooks that say this at these events, and tell at which they were asked. */
function hooksSaying(said: Partial<Record<HookEvent, Omit<HookReply, "name">>>): {
  hooks: HookRunner;
  asked: HookCall[];
} {
  const asked: HookCall[] = [];
  return {
    asked,
    hooks: {
      has: (...events) => events.some((event) => said[event] !== undefined),
      async run(call) {
        asked.push(call);
        const reply = said[call.event];
        return reply ? [{ name: call.event, ...reply }] : [];
      },
    },
  };
}

function eventsOf(asked: readonly HookCall[]): string[] {
  return asked.map(({ event, subject }) => (subject === "" ? event : `${event} ${subject}`));
}

const calls = [{ id: "c1", name: "work", input: { n: 1 } }];

function createWork(hooks: HookRunner, made: unknown[] = []): Tool {
  const tool = makeTool("work", (args) => {
    made.push(args);
    return { ok: true, text: "The work is done, as it should be." };
  });
  return withHooks(withPermission(tool, createPermissionCheck({ ask: ["work"], mayHooksAllow: true })), hooks);
}

describe("hooks at the start of a run", () => {
  test("give the models facts before the conversation and before the question, and run once for a session", async () => {
    const { hooks, asked } = hooksSaying({
      SessionStart: { context: "Branch: main" },
      UserPromptSubmit: { context: "It is Monday." },
    });
    const hookSession = { source: "startup" } as const;
    for (const question of ["One?", "Two?"]) {
      const model = scriptedModel(["It is one, as you see."]);
      await runAll({ question, models: { functionCall: model, answer: model }, hooks, hookSession });
      const texts = model.requests[0]?.messages.map(({ role, content }) => `${role}: ${String(content)}`) ?? [];
      expect(texts.filter((text) => text.startsWith("system"))).not.toEqual([expect.stringContaining("Branch")]);
      expect(texts[1]).toMatch(/^user: .*<<<result \w+\nBranch: main\n/s);
      // It stands with the question, so that the next turn sends it again as it was sent.
      const ofQuestion = new RegExp(
        `^user: .*<<<result \\w+\nIt is Monday\\.\n.*\n\n${question.replace("?", "\\?")}$`,
        "s",
      );
      expect(texts.at(-1)).toMatch(ofQuestion);
    }
    expect(eventsOf(asked)).toEqual(["SessionStart startup", "UserPromptSubmit", "UserPromptSubmit"]);
    expect(asked[1]?.input).toMatchObject({ prompt: "One?", permission_mode: "default" });
  });

  test("refuse a question, which then goes to no model", async () => {
    const { hooks } = hooksSaying({ UserPromptSubmit: { isBlocking: true, reason: "no secrets here" } });
    const model = scriptedModel([]);
    const outcome = outcomeOf(await runAll({ models: { functionCall: model, answer: model }, hooks }));
    expect(outcome).toMatchObject({
      status: "failed",
      error: { message: "A hook refused the question: no secrets here" },
    });
    expect(model.requests).toEqual([]);
  });
});

describe("hooks around a call", () => {
  test("tell the model in a fence what they add and what they changed, and the record shows the call as it was made", async () => {
    const { hooks } = hooksSaying({
      PreToolUse: { decision: "allow", updatedInput: { n: 2 } },
      PostToolUse: { isBlocking: true, reason: "lint: 3 problems" },
      Stop: { isBlocking: true, reason: "tests are missing" },
    });
    const made: unknown[] = [];
    const model = scriptedModel([calls, "It is done, with problems."]);
    const tools = [createWork(hooks, made)];
    const events = await runAll({ models: { functionCall: model, answer: model }, tools, hooks });
    expect(made).toEqual([{ n: 2 }]);
    expect(noticesOf(events)).toEqual(["hook-changed", "hook-wants-more"]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", tool_calls: [{ arguments: { n: 2 } }] });
    const read = String(model.requests[1]?.messages.at(-1)?.content);
    expect(read).toMatch(/<<<result (\w+)\nlint: 3 problems\nresult \1>>>/);
    expect(read).toContain('{"n":2}');
  });

  test.each(["PreToolUse", "PostToolUse"] as const)("end the run at %s: no model is asked again", async (event) => {
    const { hooks, asked } = hooksSaying({ [event]: { stop: "budget is spent" }, StopFailure: {} });
    const model = scriptedModel([calls]);
    const tools = [createWork(hooks)];
    const approveCall = async () => "once" as const;
    const events = await runAll({ models: { functionCall: model, answer: model }, tools, hooks, approveCall });
    expect(outcomeOf(events)).toMatchObject({
      status: "failed",
      error: { message: "A hook ended the run: budget is spent" },
    });
    expect(eventsOf(asked).at(-1)).toBe("StopFailure tool");
  });
});

describe("a run that goes on in another process", () => {
  const script = { decide: [calls, "It is done, as it should be."] };
  const said = {
    SessionStart: { context: "Branch: main" },
    PreToolUse: { decision: "allow" },
    PostToolUse: { context: "noted" },
    Stop: {},
  } as const;

  test("runs no hook again whose outcome is recorded", async () => {
    const first = hooksSaying(said);
    const whole = await play(script, { tools: [createWork(first.hooks)], hooks: first.hooks });
    const names = whole.steps.map(({ name }) => name);
    expect(names).toEqual(["hooks:start:1", "turn:decide:1", "hook:c1:1", "call:c1", "turn:decide:2", "hooks:end:1"]);
    for (const [recorded, again] of [
      [0, ["SessionStart startup", "UserPromptSubmit", "PreToolUse work", "PostToolUse work", "Stop"]],
      [2, ["PreToolUse work", "PostToolUse work", "Stop"]],
      [4, ["Stop"]],
      [6, []],
    ] as const) {
      const next = hooksSaying(said);
      const rest = {
        decide: script.decide.slice(names.slice(0, recorded).filter((name) => name.startsWith("turn:")).length),
      };
      const setting = { tools: [createWork(next.hooks)], hooks: next.hooks };
      // Where no hook is recorded, the call that a person would be asked about has not begun.
      const steps = whole.steps.slice(0, recorded);
      const played = await play(rest, setting, { ...whole, steps });
      expect(eventsOf(next.asked)).toEqual(again);
      expect(played.asked.decide.every((messages) => JSON.stringify(messages).includes("Branch: main"))).toBe(true);
    }
  });

  test("does not repeat a call that a hook had allowed, and that may have been made", async () => {
    const first = hooksSaying(said);
    const whole = await play(script, { tools: [createWork(first.hooks)], hooks: first.hooks });
    const made: unknown[] = [];
    const next = hooksSaying(said);
    const steps = whole.steps.slice(0, 3);
    const rest = { decide: script.decide.slice(1) };
    const { events } = await play(
      rest,
      { tools: [createWork(next.hooks, made)], hooks: next.hooks },
      { ...whole, steps },
    );
    expect(made).toEqual([]);
    expect(outcomeOf(events).tool_calls).toMatchObject([
      { ok: false, result: expect.stringContaining("may have taken effect") },
    ]);
  });
});

describe("hooks before a message to a run", () => {
  /** Runs a question during whose call two messages come, with hooks that refuse the one about the password. */
  async function runWithMessages(replyTo: (prompt: unknown) => Omit<HookReply, "name"> | undefined) {
    const inbox = createRunInbox();
    const prompts: unknown[] = [];
    const hooks: HookRunner = {
      has: (...events) => events.includes("UserPromptSubmit"),
      async run({ event, input }) {
        if (event !== "UserPromptSubmit") return [];
        prompts.push(input.prompt);
        const reply = replyTo(input.prompt);
        return reply ? [{ name: "guard", ...reply }] : [];
      },
    };
    const work = makeTool("work", () => {
      inbox.send("be brief");
      inbox.send("the password is 123");
      return { ok: true, text: "The work is done, as it should be." };
    });
    const model = scriptedModel([calls, "It is one, as you see."]);
    const models = { functionCall: model, answer: model };
    const events = await runAll({ question: "One?", models, tools: [work], hooks, inbox });
    return { events, prompts, texts: model.requests[1]?.messages.map(({ content }) => String(content)) ?? [] };
  }

  test("refuse one, of which people are told, and add facts to the other", async () => {
    const { events, prompts, texts } = await runWithMessages((prompt) =>
      String(prompt).includes("password")
        ? { isBlocking: true, reason: "no secrets" }
        : { context: `said after ${String(prompt)}` },
    );
    expect(prompts).toEqual(["One?", "be brief", "the password is 123"]);
    expect(texts.at(-1)).toMatch(/^be brief\n\n.*<<<result \w+\nsaid after be brief\n/s);
    expect(texts.join("\n")).not.toContain("password");
    const told = outcomeOf(events).notices?.filter(({ code }) => code === "message-refused");
    expect(told?.map(({ message }) => message)).toEqual([
      "A hook did not let this message through (no secrets): the password is 123",
    ]);
  });

  test("end the run where they say so", async () => {
    const { events, texts } = await runWithMessages((prompt) =>
      prompt === "be brief" ? { stop: "enough for today" } : undefined,
    );
    expect(texts).toEqual([]);
    expect(outcomeOf(events)).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("enough") },
    });
  });
});
