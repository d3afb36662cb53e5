import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HookEvent } from "../../../src/core/hooks.ts";
import type { Approval, ApprovalRequest, Tool, ToolContext } from "../../../src/core/tools/tool.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createRedactor } from "../../../src/kit/text/redact.ts";
import { createBuiltinTool } from "../../../src/tools/create-tool.ts";
import { type HookGroup, openHooks } from "../../../src/tools/hooks/open-hooks.ts";
import { withHooks } from "../../../src/tools/hooks/with-hooks.ts";
import { createPermissionCheck, type PermissionRules, withPermission } from "../../../src/tools/permission-rules.ts";
import { withValidation } from "../../../src/tools/schema/with-validation.ts";
import { workplace } from "../../config/workplace.ts";
import { type TestContext, testContext } from "../context.ts";

const specific = (fields: JsonObject, event = "PreToolUse"): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } });

interface Scene {
  call(args: JsonObject): ReturnType<Tool["run"]>;
  context: TestContext;
  asked: ApprovalRequest[];
  ran: JsonObject[];
  folder: string;
}

/** A tool `shell` that takes a command, behind these hooks and rules. The person says the answers, then no. */
async function openScene(
  groups: Partial<Record<HookEvent, HookGroup[]>>,
  { rules = {}, answers = [], result }: { rules?: PermissionRules; answers?: Approval[]; result?: "fails" } = {},
): Promise<Scene> {
  const folder = workplace({});
  const { hooks, close } = await openHooks({
    groups,
    directory: folder,
    environment: process.env,
    redactor: createRedactor([{ name: "KEY", value: "sk-secret-0001" }]),
    warn() {},
  });
  onTestFinished(close);
  const ran: JsonObject[] = [];
  const asked: ApprovalRequest[] = [];
  const shell = createBuiltinTool({
    name: "shell",
    description: "",
    inputSchema: {
      type: "object",
      properties: { command: { type: "string" } },
      required: ["command"],
      additionalProperties: false,
    },
    annotations: { destructive: true },
    async run(args) {
      ran.push(args);
      if (result === "fails") return { ok: false, text: "broken", error: { code: "tool", message: "broken" } };
      return { ok: true, text: `did ${args.command}` };
    },
  });
  const tool = withHooks(withPermission(withValidation(shell), createPermissionCheck(rules)), hooks);
  const context = testContext();
  const approve: ToolContext["approve"] = async (request) => {
    asked.push(request);
    return answers.shift() ?? "no";
  };
  return { call: (args) => tool.run(args, { ...context, approve }), context, asked, ran, folder };
}

const sh = (command: string, more: object = {}): HookGroup => ({ hooks: [{ type: "command", command, ...more }] });
const say = (fields: JsonObject, event = "PreToolUse"): HookGroup =>
  sh(`cat >/dev/null; printf '%s' '${specific(fields, event)}'`);

function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

describe("a hook before a call", () => {
  test("reads the documented fields, refuses with its words, and the tool does not run", async () => {
    const scene = await openScene({
      PreToolUse: [
        { matcher: "other", hooks: [{ type: "command", command: "exit 2" }] },
        {
          matcher: "shell",
          toolName: "Bash",
          hooks: [
            {
              type: "command",
              command: 'cat > "$CLAUDE_PROJECT_DIR/in.json"; echo "no rm: sk-secret-0001" >&2; exit 2',
            },
          ],
        },
      ],
    });
    const result = await scene.call({ command: "rm x" });
    expect(result).toMatchObject({ ok: false, error: { code: "denied" }, permission: { decision: "denied" } });
    expect(result.permission?.rule).toMatch(/^hooks\.PreToolUse\(shell\)/);
    expect(result.text).toBe("Not run: a hook refused this call of shell: no rm: [redacted KEY]");
    expect(scene.ran).toEqual([]);
    expect(JSON.parse(readFileSync(join(scene.folder, "in.json"), "utf8"))).toMatchObject({
      session_id: "",
      cwd: scene.folder,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm x" },
      tool_use_id: expect.stringMatching(/^call-/),
    });
  });

  test("that allows gets round no rule of the operator, only the program's own question", async () => {
    const allows = { PreToolUse: [say({ permissionDecision: "allow" })] };
    const denied = await openScene(allows, { rules: { deny: ["shell(rm *)"], mayHooksAllow: true } });
    expect(await denied.call({ command: "rm x" })).toMatchObject({
      ok: false,
      permission: { rule: "tools.deny: shell(rm *)" },
    });
    expect(denied.ran).toEqual([]);

    const ruled = await openScene(allows, { rules: { ask: ["shell"] } });
    expect(await ruled.call({ command: "ls" })).toMatchObject({ ok: false, permission: { decision: "declined" } });
    expect(ruled.asked).toHaveLength(1);

    const usual = await openScene(allows, { rules: { ask: ["*:destructive"], mayHooksAllow: true } });
    const result = await usual.call({ command: "ls" });
    expect(result).toMatchObject({
      ok: true,
      permission: { decision: "allowed", rule: expect.stringMatching(/^hooks\./) },
    });
    expect(usual.asked).toEqual([]);
  });

  test("that asks has a person asked once, who sees the arguments that it changed", async () => {
    const fields = {
      permissionDecision: "ask",
      permissionDecisionReason: "dry run?",
      updatedInput: { command: "rm -n x" },
    };
    const scene = await openScene({ PreToolUse: [say(fields)] }, { answers: ["once"] });
    const result = await scene.call({ command: "rm x" });
    expect(scene.asked).toEqual([
      {
        tool: "shell",
        arguments: { command: "rm -n x" },
        rule: expect.stringMatching(/^hooks\./),
        reason: "dry run?",
        onlyOnce: true,
      },
    ]);
    expect(scene.ran).toEqual([{ command: "rm -n x" }]);
    expect(result).toMatchObject({ ok: true, arguments: { command: "rm -n x" }, permission: { decision: "approved" } });
    expect(scene.context.notices).toMatchObject([
      { code: "hook-changed", message: expect.stringContaining("rm -n x") },
    ]);
  });

  test("that changes arguments to what the tool does not take keeps the call from running", async () => {
    const scene = await openScene({
      PreToolUse: [say({ permissionDecision: "allow", updatedInput: { comand: "x" } })],
    });
    const result = await scene.call({ command: "ls" });
    expect(result).toMatchObject({ ok: false, error: { code: "denied" } });
    expect(result.text).toContain("comand");
    expect(scene.ran).toEqual([]);
  });

  test("is not asked about arguments that are wrong anyway", async () => {
    const scene = await openScene({ PreToolUse: [sh('touch "$DUET_PROJECT_DIR/asked"')] });
    expect(await scene.call({ command: 7 })).toMatchObject({ error: { code: "invalid_arguments" } });
    expect(existsSync(join(scene.folder, "asked"))).toBe(false);
  });

  test("that does not end is ended with all it started, is told, and blocks nothing", async () => {
    const hangs = sh('echo $$ > "$CLAUDE_PROJECT_DIR/pid"; sleep 600 & sleep 600', { timeout: 1 });
    const scene = await openScene({ PreToolUse: [hangs] });
    expect(await scene.call({ command: "ls" })).toMatchObject({ ok: true });
    expect(scene.context.notices).toMatchObject([
      { code: "hook-failed", message: expect.stringContaining("within 1 s") },
    ]);
    const group = Number(readFileSync(join(scene.folder, "pid"), "utf8"));
    await expect.poll(() => isGroupAlive(group)).toBe(false);
  });

  test("denies before any other hook allows, and each may add a note for the model", async () => {
    const scene = await openScene({
      PreToolUse: [
        say({ permissionDecision: "allow", additionalContext: "first" }),
        say({ permissionDecision: "deny", permissionDecisionReason: "frozen", additionalContext: "second" }),
      ],
    });
    expect(await scene.call({ command: "ls" })).toMatchObject({
      ok: false,
      note: "first\nsecond",
      text: expect.stringContaining("frozen"),
    });
  });

  test("with `if` runs for the calls that fit, and its arguments reach it without a shell", async () => {
    const code = 'process.exit(process.argv[1] === "$(a b)" ? 2 : 0)';
    const hook = {
      type: "command",
      command: process.execPath,
      args: ["-e", code, "$(a b)"],
      if: "shell(rm *)",
    } as const;
    const scene = await openScene({ PreToolUse: [{ hooks: [hook] }] });
    expect(await scene.call({ command: "ls" })).toMatchObject({ ok: true });
    expect(await scene.call({ command: "rm x" })).toMatchObject({ ok: false });
  });
});

describe("a module as a hook", () => {
  const asModule = (text: string, timeout?: number): HookGroup => {
    const folder = workplace({ "hook.mjs": text });
    return { hooks: [{ type: "module", module: join(folder, "hook.mjs"), timeout }] };
  };

  test("gets what a command gets on stdin, and returns what a command prints", async () => {
    const text = `export default ({ hook_event_name, tool_input }) => ({
      hookSpecificOutput: { hookEventName: hook_event_name, updatedInput: { command: tool_input.command + " -n" } },
    });`;
    const scene = await openScene({ PreToolUse: [asModule(text)] });
    await scene.call({ command: "rm x" });
    expect(scene.ran).toEqual([{ command: "rm x -n" }]);
  });

  test("that blocks its thread, or throws, blocks nothing", async () => {
    const scene = await openScene({
      PreToolUse: [
        asModule("export default () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }", 1),
        asModule('export default () => { throw new Error("oops"); }'),
      ],
    });
    expect(await scene.call({ command: "ls" })).toMatchObject({ ok: true });
    expect(scene.context.notices.map(({ message }) => message)).toEqual([
      expect.stringContaining("within 1 s"),
      expect.stringContaining("oops"),
    ]);
  });

  test("keeps the time limit of each hook, also where two hooks share it", async () => {
    const { hooks } = asModule("export default () => new Promise(() => {})");
    const short = hooks.map((hook) => ({ ...hook, timeout: 0.2 }));
    const scene = await openScene({ PreToolUse: [{ matcher: "another_tool", hooks }, { hooks: short }] });
    expect(await scene.call({ command: "ls" })).toMatchObject({ ok: true });
    expect(scene.context.notices.map(({ message }) => message)).toEqual([expect.stringContaining("within 0.2 s")]);
  });

  test("that does not load is a fault of the configuration", async () => {
    const group: HookGroup = { hooks: [{ type: "module", module: "/nowhere/hook.mjs" }] };
    await expect(openScene({ PreToolUse: [group] })).rejects.toThrow(
      "hooks.PreToolUse: /nowhere/hook.mjs: there is no such file",
    );
  });
});

describe("a hook after a call", () => {
  test("reads the result, replaces what the model reads of it, and says something beside it", async () => {
    const scene = await openScene({
      PostToolUse: [
        sh('cat > "$CLAUDE_PROJECT_DIR/in.json"; echo "lint: 3 problems" >&2; exit 2'),
        say({ updatedToolOutput: "[hidden]" }, "PostToolUse"),
      ],
      PostToolUseFailure: [sh('touch "$CLAUDE_PROJECT_DIR/failed"')],
    });
    expect(await scene.call({ command: "ls" })).toMatchObject({ ok: true, text: "[hidden]", note: "lint: 3 problems" });
    expect(JSON.parse(readFileSync(join(scene.folder, "in.json"), "utf8"))).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_response: { success: true, text: "did ls" },
      duration_ms: expect.any(Number),
    });
    expect(existsSync(join(scene.folder, "failed"))).toBe(false);
  });

  test("that failed reads the error; one that was denied has none", async () => {
    const groups = { PostToolUseFailure: [sh('cat >> "$CLAUDE_PROJECT_DIR/in.json"')] };
    const denied = await openScene(groups, { rules: { deny: ["shell"] } });
    await denied.call({ command: "ls" });
    expect(existsSync(join(denied.folder, "in.json"))).toBe(false);
    const failed = await openScene(groups, { result: "fails" });
    await failed.call({ command: "ls" });
    expect(JSON.parse(readFileSync(join(failed.folder, "in.json"), "utf8"))).toMatchObject({ error: "broken" });
  });
});
