import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rememberApprovals } from "../../src/app/conversations/remember-approvals.ts";
import { createApprove, toUser } from "../../src/core/questions/user.ts";
import type {
  Approval,
  ApprovalRequest,
  Approve,
  ApproveCall,
  Tool,
  ToolAnnotations,
  ToolContext,
} from "../../src/core/tools/tool.ts";
import { findFittingCalls, isMatchingCall, parseToolPatterns } from "../../src/core/tools/tool-pattern.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import { collectTools } from "../../src/tools/collect-tools.ts";
import { createBuiltinTool } from "../../src/tools/create-tool.ts";
import { createPermissionCheck, type PermissionRules, withPermission } from "../../src/tools/permission-rules.ts";
import { withValidation } from "../../src/tools/schema/with-validation.ts";
import { anyText } from "../fakes/any-text.ts";
import { testContext } from "./context.ts";

interface Recorded {
  tool: Tool;
  /** The arguments of the calls that ran. */
  ran: JsonObject[];
}

function recorded(name: string, more: Partial<Tool> = {}): Recorded {
  const ran: JsonObject[] = [];
  const tool = createBuiltinTool({
    name,
    description: "",
    inputSchema: { type: "object" },
    async run(args) {
      ran.push(args);
      return { ok: true, text: "done" };
    },
  });
  return { tool: { ...tool, ...more }, ran };
}

/** A context in which a person says the answers one after the other; what they were asked is in `asked`. */
function person(...answers: (Approval | undefined)[]): { context: ToolContext; asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  const approve: Approve = async (request) => {
    asked.push(request);
    return answers.shift();
  };
  return { context: { ...testContext(), approve }, asked };
}

describe("the rules", () => {
  const { tool } = recorded("shell", { annotations: { destructive: true } });

  test.each<[PermissionRules, JsonObject, string, string]>([
    [{}, { command: "ls" }, "allowed", "tools.allow: *"],
    [{ allow: ["*"] }, { command: "ls" }, "allowed", "tools.allow: *"],
    [{ allow: ["shell(ls *)", "shell"] }, { command: "ls -l" }, "allowed", "tools.allow: shell(ls *)"],
    [{ allow: ["shell(ls *)"] }, { command: "rm -rf /" }, "denied", "tools.allow"],
    [{ allow: ["shell(ls *)"] }, { command: "ls -l", next: "rm -rf /" }, "denied", "tools.allow"],
    [{ deny: ["shell(rm *)"] }, { command: "ls -l", next: "rm -rf /" }, "denied", "tools.deny: shell(rm *)"],
    [{ ask: ["shell(rm *)"] }, { command: "ls -l", next: "rm -rf /" }, "ask", "tools.ask: shell(rm *)"],
    [{ allow: [] }, { command: "ls" }, "denied", "tools.allow"],
    [{ allow: ["*"], deny: ["shell(rm *)"] }, { command: "rm -rf /" }, "denied", "tools.deny: shell(rm *)"],
    [{ ask: ["*"], deny: ["*"] }, { command: "ls" }, "denied", "tools.deny: *"],
    [{ allow: ["shell(ls *)"], ask: ["*"] }, { command: "rm" }, "denied", "tools.allow"],
    [{ allow: ["*"], ask: ["*:destructive"] }, { command: "ls" }, "ask", "tools.ask: *:destructive"],
    [{ ask: ["*:destructive", "*(rm *)"] }, { command: "rm x" }, "ask", "tools.ask: *:destructive, *(rm *)"],
    [{ allow: ["*:destructive"] }, { command: "ls" }, "denied", "tools.allow"],
    [{ allow: ["*:readOnly"] }, { command: "ls" }, "denied", "tools.allow"],
    [{ allow: ["not a pattern"] }, { command: "ls" }, "denied", "tools.allow"],
  ])("%j judges %j: %s by %s", (rules, args, decision, rule) => {
    expect(createPermissionCheck(rules)(tool, args)).toEqual({ decision, rule });
  });

  test("what a server says of its tool never lets it run: no rule that allows goes by it", () => {
    const claims: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
    const { tool: liar } = recorded("server__erase", { source: "server", annotations: claims });
    for (const rules of [{ allow: ["*:readOnly"] }, { allow: ["*:idempotent"] }]) {
      expect(createPermissionCheck(rules)(liar, {}).decision).toBe("denied");
      expect(collectTools([[liar]], rules).tools).toEqual([]);
    }
    expect(createPermissionCheck({ ask: ["server__*"] })(liar, {}).decision).toBe("ask");
  });

  test("a tool that always asks does so whatever is allowed", () => {
    const { tool: mail } = recorded("send_email", { alwaysAsks: true });
    expect(createPermissionCheck({ allow: ["send_email"] })(mail, {})).toEqual({ decision: "ask", rule: "always" });
    expect(createPermissionCheck({ deny: ["send_email"] })(mail, {}).decision).toBe("denied");
  });
});

describe("a call under the rules", () => {
  const asking = createPermissionCheck({ ask: ["*"] });

  test("that is denied does not run, and the model reads the rule", async () => {
    const { tool, ran } = recorded("shell");
    const { context, asked } = person("once");
    const result = await withPermission(tool, createPermissionCheck({ deny: ["shell(rm *)"] })).run(
      { command: "rm x" },
      context,
    );
    expect(result).toMatchObject({
      ok: false,
      text: "The rule tools.deny: shell(rm *) does not allow this call of shell; it was not run.",
      error: { code: "denied" },
      permission: { decision: "denied", rule: "tools.deny: shell(rm *)" },
    });
    expect([ran, asked]).toEqual([[], []]);
  });

  test.each<[Approval | undefined, string, number]>([
    ["once", "approved", 1],
    ["conversation", "approved", 1],
    ["no", "declined", 0],
    ["dismissed", "dismissed", 0],
    [undefined, "unanswered", 0],
  ])("that asks is answered %s: %s", async (answer, decision, runs) => {
    const { tool, ran } = recorded("shell");
    const { context, asked } = person(answer);
    const result = await withPermission(tool, asking).run({ command: "ls" }, context);
    expect(result.permission).toEqual({ decision, rule: "tools.ask: *" });
    expect(ran).toHaveLength(runs);
    expect(asked).toEqual([{ tool: "shell", arguments: { command: "ls" }, rule: "tools.ask: *", onlyOnce: false }]);
  });

  test("that is declined with other words gives the model these, as the person's own", async () => {
    const { tool, ran } = recorded("shell");
    const { context } = person({ instead: "use ls -a" });
    expect(await withPermission(tool, asking).run({ command: "ls" }, context)).toMatchObject({
      ok: false,
      text: "Not run: the user did not agree to this call, and says what to do instead: use ls -a",
      kind: "instruction",
      shown: "Not run: the user did not agree to this call of shell. Instead: use ls -a",
      permission: { decision: "declined", rule: "tools.ask: *", instead: "use ls -a" },
    });
    expect(ran).toEqual([]);
  });

  test.each<[Approval | undefined, string]>([
    ["no", "Not run: the user did not agree to this call."],
    ["dismissed", "the user dismissed the question without deciding"],
    [undefined, "and no valid reply came"],
  ])("that was asked about and answered %s tells the model just that", async (answer, words) => {
    const { text } = await withPermission(recorded("shell").tool, asking).run({}, person(answer).context);
    expect(text).toContain(words);
    expect(text).not.toContain("nobody can be asked");
  });

  test.each([["yes"], [true], [null], [{}]])("runs on no answer but those that say so: %j", async (answer) => {
    const { tool, ran } = recorded("shell");
    // A program in JavaScript is held by no type.
    const context = JSON.parse(JSON.stringify({ locale: "en" }));
    Object.assign(context, testContext(), { approve: async () => answer });
    expect((await withPermission(tool, asking).run({}, context)).permission?.decision).toBe("declined");
    expect(ran).toEqual([]);
  });

  test("runs not when asking fails", async () => {
    const { tool, ran } = recorded("shell");
    const approve = async () => {
      throw new Error("the terminal is gone");
    };
    const call = withPermission(tool, asking).run({}, { ...testContext(), approve });
    await expect(call).rejects.toThrow("the terminal is gone");
    expect(ran).toEqual([]);
  });

  test("with wrong arguments is not asked about, and does not run", async () => {
    const { tool, ran } = recorded("shell", { inputSchema: { type: "object", required: ["command"] } });
    const { context, asked } = person("once");
    const result = await withPermission(withValidation(tool), asking).run({}, context);
    expect(result.error?.code).toBe("invalid_arguments");
    expect([ran, asked]).toEqual([[], []]);
  });

  test("whose arguments were wrong when they were looked at does not run when they are right a moment later", async () => {
    const found = [[{ path: "script", text: { zh: "没有", en: "is not there" } }], []];
    const { tool, ran } = recorded("script", { check: async () => found.shift() ?? [] });
    const { context, asked } = person("once");
    const result = await withPermission(withValidation(tool), asking).run({}, context);
    expect(result.text).toContain("script: is not there");
    expect([ran, asked]).toEqual([[], []]);
  });

  test("that nobody may answer, and that nobody answers, are told apart", async () => {
    const { tool } = recorded("shell");
    const [alone, silent] = [testContext(), testContext()];
    await withPermission(tool, asking).run({}, alone);
    await withPermission(tool, asking).run({}, { ...silent, approve: async () => undefined });
    expect(alone.notices[0]?.message).toContain("nobody can be asked here");
    expect(silent.notices[0]?.message).toBe("shell needs consent and got no valid answer, so it was not run.");
  });

  test("that a question leaves out is denied under the question's name, not the configuration's", async () => {
    const { tool, ran } = recorded("shell");
    const judged = withPermission(tool, createPermissionCheck({ allow: ["shell(ls *)"] }, "question"));
    const { permission } = await judged.run({ command: "rm x" }, testContext());
    expect(permission).toEqual({ decision: "denied", rule: "question.allow" });
    expect(ran).toEqual([]);
  });

  test("of a tool that always asks, inside rules of a question, asks once", async () => {
    const { tool, ran } = recorded("send_email", { alwaysAsks: true });
    const { context, asked } = person("once", "once");
    const narrowed = withPermission(
      withPermission(tool, createPermissionCheck({})),
      createPermissionCheck({ allow: ["send_email(to=*)"] }),
    );
    const result = await narrowed.run({ to: "a@example.com" }, context);
    expect(result.permission).toEqual({ decision: "approved", rule: "always" });
    expect(asked).toMatchObject([{ rule: "always", onlyOnce: true }]);
    expect(ran).toHaveLength(1);
  });

  test("that one rule asks about is not covered by a yes to another rule's calls", async () => {
    const { tool, ran } = recorded("shell", { annotations: { destructive: true } });
    const judged = withPermission(tool, createPermissionCheck({ ask: ["*:destructive", "shell(rm *)"] }));
    const asked: string[] = [];
    const approveCall: ApproveCall = async ({ rule }) => {
      asked.push(rule);
      return asked.length === 1 ? "conversation" : "no";
    };
    const session = {
      reported: new Set<string>(),
      approved: new Set<string>(),
      refused: new Set<string>(),
      hooks: { source: "startup" } as const,
      loaded: new Set<string>(),
    };
    const user = rememberApprovals(toUser({ approveCall }), session);
    const context = { ...testContext(), approve: createApprove(user, new AbortController().signal) };
    for (const command of ["mkdir a", "mkdir b", "rm a"]) await judged.run({ command }, context);
    expect(asked).toEqual(["tools.ask: *:destructive", "tools.ask: *:destructive, shell(rm *)"]);
    expect(ran).toEqual([{ command: "mkdir a" }, { command: "mkdir b" }]);
  });
});

describe("for all rules and calls", () => {
  const words = ["rm -rf /", "rm", "ls", "/etc/passwd", "/tmp/../etc/passwd", "GIT push", "https://a.example/", ""];
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(...words, null, true, 7),
      anyText(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("command", "path", "args", "__proto__", "constructor"), tie("value"), {
        maxKeys: 3,
      }),
    ),
  })).value;
  const calls = fc
    .dictionary(fc.constantFrom("command", "path", "args", "constructor"), value, { maxKeys: 3 })
    .map((args): JsonObject => JSON.parse(JSON.stringify(args)));
  const annotations = fc.record(
    { readOnly: fc.boolean(), destructive: fc.boolean(), idempotent: fc.boolean(), openWorld: fc.boolean() },
    { requiredKeys: [] },
  );
  const tools = fc
    .record({
      name: fc.constantFrom("shell", "fs__write", "fs__read", "web_search"),
      source: fc.constantFrom("fs", "builtin"),
      annotations,
      alwaysAsks: fc.boolean(),
      byCall: fc.option(annotations, { nil: undefined }),
    })
    .map(
      ({ byCall, ...more }) => recorded(more.name, { ...more, ...(byCall && { annotationsFor: () => byCall }) }).tool,
    );
  const pattern = fc
    .tuple(
      fc.constantFrom("*", "shell", "fs__*", "*_search", "fs__w*"),
      fc.constantFrom("", "", ":destructive", ":readOnly", ":openWorld"),
      fc.constantFrom("", "", "(rm *)", "(path=/etc/*)", "(*)", "(command=*)", "(ls)", "(constructor=*)"),
    )
    .map((parts) => parts.join(""));
  const patterns = fc.array(pattern, { maxLength: 3 });
  const rules = fc.record({ allow: fc.option(patterns, { nil: undefined }), deny: patterns, ask: patterns });
  const order = ["denied", "ask", "allowed"];

  test("a denial wins over whatever allows or asks", () => {
    fc.assert(
      fc.property(rules, tools, calls, (given, tool, args) => {
        const { decision } = createPermissionCheck(given)(tool, args);
        const isDenied = parseToolPatterns(given.deny).some((each) => isMatchingCall(each, tool, args, "some"));
        if (isDenied) expect(decision).toBe("denied");
      }),
      { numRuns: 2000 },
    );
  });

  test("one more denial or question never lets more run, one more permit never less", () => {
    fc.assert(
      fc.property(rules, pattern, tools, calls, (given, more, tool, args) => {
        const decide = (changed: PermissionRules) =>
          order.indexOf(createPermissionCheck({ ...given, ...changed })(tool, args).decision);
        const before = decide({});
        expect(decide({ deny: [...given.deny, more] })).toBeLessThanOrEqual(before);
        expect(decide({ ask: [...given.ask, more] })).toBeLessThanOrEqual(before);
        if (given.allow) expect(decide({ allow: [...given.allow, more] })).toBeGreaterThanOrEqual(before);
        if (!given.allow) expect(decide({ allow: [more] })).toBeLessThanOrEqual(before);
      }),
      { numRuns: 2000 },
    );
  });

  test("what a rule allows it would also forbid: nothing that fits to the letter slips past a denial", () => {
    fc.assert(
      fc.property(pattern, tools, calls, (written, tool, args) => {
        const [only] = parseToolPatterns([written]);
        if (only && isMatchingCall(only, tool, args, "every"))
          expect(isMatchingCall(only, tool, args, "some")).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("another annotation of a server never turns a denial into a run", () => {
    fc.assert(
      fc.property(rules, annotations, tools, calls, (given, claimed, tool, args) => {
        const byName = {
          ...given,
          deny: given.deny.filter((each) => !each.includes(":")),
          ask: given.ask.filter((each) => !each.includes(":")),
        };
        const checkPermission = createPermissionCheck(byName);
        const plain = { ...tool, annotationsFor: undefined };
        expect(checkPermission({ ...plain, annotations: claimed }, args)).toEqual(checkPermission(plain, args));
      }),
      { numRuns: 1000 },
    );
  });

  test("the list of tools and the judge agree: what no call may do is left out, and what is left out no call may do", () => {
    fc.assert(
      fc.property(rules, tools, calls, (given, tool, args) => {
        const isOffered = collectTools([[tool]], given).tools.length > 0;
        const { decision } = createPermissionCheck(given)(tool, args);
        if (!isOffered) expect(decision).toBe("denied");
        for (const each of parseToolPatterns([...given.deny, ...given.ask])) {
          const fitting = findFittingCalls(each, tool);
          if (fitting !== "some") expect(isMatchingCall(each, tool, args, "some")).toBe(fitting === "all");
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("spaces, letter case, lists and depth never slip past a denial", () => {
    const shapes: ((command: string) => JsonObject)[] = [
      (command) => ({ command }),
      (command) => ({ command: command.toUpperCase() }),
      (command) => ({ command: command.replaceAll(" ", " \t\n") }),
      (command) => ({ command: ` ${command}` }),
      (command) => ({ command: command.split(" ") }),
      (command) => ({ command: command.split(" ")[0] ?? "", args: command.split(" ").slice(1) }),
      (command) => ({ steps: [{ run: { command } }] }),
      (command) => ({ note: "harmless", command, more: [1, null, true] }),
    ];
    const checkPermission = createPermissionCheck({ allow: ["*"], deny: ["shell(rm *)"] });
    const { tool } = recorded("shell");
    const word = fc.stringMatching(/^[a-z0-9/.-]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom(...shapes), (rest, shape) => {
        expect(checkPermission(tool, shape(["rm", ...rest].join(" "))).decision).toBe("denied");
      }),
      { numRuns: 1000 },
    );
  });
});
