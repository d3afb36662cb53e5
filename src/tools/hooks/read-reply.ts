import * as z from "zod";
import type { HookEvent, HookReply } from "../../core/hooks.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { isRecord, type JsonObject, tryParseJson } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";

/** Holds how a hook ended and what it wrote. */
export interface HookOutput {
  /** Is the exit code, and null where a signal ended it. A module that returns has 0. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Limits each text of a hook, in characters, as Claude Code does. */
const longestText = 10_000;
/** Limits what stands in place of a tool's result, in characters. */
const longestOutput = 100_000;

const jsonOutput = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(["approve", "block"]).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string(),
      permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.record(z.string(), z.json()).optional(),
      additionalContext: z.string().optional(),
      updatedToolOutput: z.unknown().optional(),
      updatedMCPToolOutput: z.unknown().optional(),
    })
    .optional(),
});

type JsonOutput = z.infer<typeof jsonOutput>;

/**
 * Reads what a hook said by its exit code and its output, as Claude Code documents it: an object on stdout counts whatever the code is,
 * 2 blocks with stderr as the reason, any other code blocks nothing. Known secrets are taken out of every text.
 */
export function readReply(
  name: string,
  event: HookEvent,
  { code, stdout, stderr }: HookOutput,
  redact: Redact,
): HookReply {
  const clean = (text: string): string => takeStart(sanitize(redact(text)).trim(), longestText);
  const parsed = stdout.trimStart().startsWith("{") ? tryParseJson(stdout) : undefined;
  const words = clean(stderr);
  const blocked: HookReply = { name, ...toBlock(event), reason: words === "" ? undefined : words };
  if (!isRecord(parsed)) {
    if (code === 2) return blocked;
    if (code !== 0) return { name, problem: describeFailure(code, words) };
    const text = clean(stdout);
    return text !== "" && plainContext.has(event) ? { name, context: text } : { name };
  }
  const { data, error } = jsonOutput.safeParse(parsed);
  const wrong = error ? describeWrongField(parsed, error) : findWrongEvent(data, event);
  if (data === undefined || wrong !== undefined) return code === 2 ? blocked : { name, problem: wrong };
  const cleanOutput = (text: string): string => takeStart(redact(text), longestOutput);
  const reply = toReply({ name, event, clean, cleanOutput }, data);
  if (code !== 2) return reply;
  return {
    ...reply,
    ...toBlock(event),
    reason: reply.decision === "deny" ? reply.reason : (reply.reason ?? blocked.reason),
  };
}

/** Lists the events whose hooks may give models a plain text. */
const plainContext: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit"]);

function toBlock(event: HookEvent): Pick<HookReply, "decision" | "isBlocking"> {
  return event === "PreToolUse" ? { decision: "deny" } : { isBlocking: true };
}

interface ReplyOptions {
  name: string;
  event: HookEvent;
  clean(text: string): string;
  cleanOutput(text: string): string;
}

function toReply({ name, event, clean, cleanOutput }: ReplyOptions, output: JsonOutput): HookReply {
  const { decision, hookSpecificOutput: specific = { hookEventName: event } } = output;
  const cleanPart = (text: string | undefined): string | undefined => (text ? clean(text) : undefined);
  const isCall = event === "PreToolUse";
  const { permissionDecision } = specific;
  // "defer" hands the call to a program that embeds Claude Code; here it decides nothing.
  const decided = permissionDecision === "defer" ? undefined : (permissionDecision ?? toOlderDecision(decision));
  const replaced = specific.updatedToolOutput ?? specific.updatedMCPToolOutput;
  return {
    name,
    decision: isCall ? decided : undefined,
    isBlocking: !isCall && decision === "block" ? true : undefined,
    reason: cleanPart((isCall ? specific.permissionDecisionReason : undefined) ?? output.reason),
    updatedInput: isCall ? specific.updatedInput : undefined,
    updatedOutput: event === "PostToolUse" && replaced !== undefined ? cleanOutput(toOutputText(replaced)) : undefined,
    context: cleanPart(specific.additionalContext),
    stop: output.continue === false ? (cleanPart(output.stopReason) ?? "") : undefined,
    message: cleanPart(output.systemMessage),
  };
}

/** Converts `approve` and `block`, with which the first hooks decided. */
function toOlderDecision(decision: JsonOutput["decision"]): HookReply["decision"] {
  return decision === undefined ? undefined : decision === "approve" ? "allow" : "deny";
}

/** Returns what stands in place of a tool's text. An object with `text` or `stdout`, as hooks get the results, is that text. */
function toOutputText(replaced: unknown): string {
  if (typeof replaced === "string") return replaced;
  const texts = isRecord(replaced) ? [replaced.text, replaced.stdout] : [];
  const text = texts.find((each) => typeof each === "string");
  if (text !== undefined) return text;
  return JSON.stringify(replaced) ?? "";
}

function findWrongEvent({ hookSpecificOutput }: JsonOutput, event: HookEvent): Text | undefined {
  const named = hookSpecificOutput?.hookEventName;
  if (named === undefined || named === event) return undefined;
  const shown = showValue(named);
  return {
    zh: `hookSpecificOutput.hookEventName 不能是 ${shown}（允许：${event}）`,
    en: `hookSpecificOutput.hookEventName is ${shown} (allowed: ${event})`,
  };
}

function describeWrongField(output: JsonObject | Record<string, unknown>, error: z.ZodError): Text {
  const path = error.issues[0]?.path ?? [];
  const value = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[String(key)] : undefined), output);
  const [place, shown] = [path.join("."), showValue(value)];
  return {
    zh: `输出的 ${place} 不能是 ${shown}：${error.issues[0]?.message ?? ""}`,
    en: `${place} of its output is ${shown}: ${error.issues[0]?.message ?? ""}`,
  };
}

function describeFailure(code: number | null, words: string): Text {
  const how =
    code === null
      ? { zh: "被信号终止", en: "it was ended by a signal" }
      : { zh: `以 ${code} 结束`, en: `it ended with ${code}` };
  const first = words === "" ? "" : toShortLine(words.split("\n")[0] ?? "", 200);
  return {
    zh: `${how.zh}，不影响后续${first === "" ? "" : `：${first}`}`,
    en: `${how.en}, which blocks nothing${first === "" ? "" : `: ${first}`}`,
  };
}
