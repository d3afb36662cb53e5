import type { ErrorCode, Locale, Text } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import type { Chain } from "../chain.ts";
import type { Elicit } from "../forms/elicitation.ts";

/** Something the agent can do: a built-in, a user's module, or a tool of a downstream MCP server. */
export interface Tool {
  /** Unique among all tools, `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Of a result's structured content; for hosts, never for models. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Where it comes from: `builtin`, `user`, `skills`, or the configured name of a server. */
  readonly source: string;
  readonly annotations: ToolAnnotations;
  /** What holds for one call in their place, where it depends on the arguments: a request that only reads. Never of a server's tool. */
  annotationsFor?(args: JsonObject): ToolAnnotations;
  /** Whether a person has to agree to each call, whatever the rules say. */
  readonly alwaysAsks?: boolean | undefined;
  /** What holds for each call, as documents of the tool say it. */
  readonly callLimits?: CallLimits | undefined;
  /**
   * Whether a call that failed may be made once more although the first one may have taken effect: own tools go by what they
   * say of themselves, a server's tool only by a definition that a person has approved. Absent: it may not.
   */
  canRepeat?(args: JsonObject): boolean;
  /** Gets validated arguments. May throw or reject: whoever calls it turns that into a failed result. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
  /** What is wrong with arguments, without running anything; absent where only a run can tell. Throws as `run` does. */
  check?(args: JsonObject): Promise<ArgumentProblem[]>;
}

export interface CallLimits {
  /** Milliseconds that a call may take. */
  timeoutMs?: number;
  /** Whether a person has to agree to each. */
  asks?: boolean;
}

/** One thing that is wrong with arguments: where (`filters.labels[2]`; empty is the arguments as a whole) and what. */
export interface ArgumentProblem {
  path: string;
  text: Text;
}

/** What a tool says of itself. Shown to people and hosts; never relaxes a policy. */
export interface ToolAnnotations {
  title?: string;
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
}

export interface ToolContext {
  /** Aborts when the run is cancelled, out of time, or the call is. */
  readonly signal: AbortSignal;
  readonly locale: Locale;
  /** What a tool that is an agent itself is told; absent where no agent calls. */
  readonly chain?: Chain | undefined;
  /** Asks the reader; absent where nobody can be asked. */
  readonly approve?: Approve | undefined;
  /** Hands on a question of the program below to the reader; absent where nobody can be asked. */
  readonly elicit?: Elicit | undefined;
  /** Whether `content` of the result is wanted beside its text. */
  readonly wantsContent?: boolean | undefined;
  /** W3C trace context (`traceparent`, `tracestate`, `baggage`) of the call, for whoever is called. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** What the run has and may still do; absent where no agent calls. */
  readonly facts?: (() => RunFacts) | undefined;
  progress(message: string, progress?: number, total?: number): void;
  /** Tells the reader something once, beside the result (a third party that gets data, a fallback taken). */
  notice(code: string, message: string): void;
}

export interface ToolResult {
  ok: boolean;
  /** What the model reads. Untrusted: it never becomes an instruction. */
  text: string;
  /** The result in MCP's shape, for a host that asked for it: blocks as they came, cleaned of the server's secrets. */
  content?: ToolContent | undefined;
  /** Pages the result stands on, in order; the agent numbers them for citation. */
  sources?: Source[];
  /**
   * `page`: `text` is what the one source says, not a list of sources. `instruction`: it is the user's own, such as a skill's,
   * and a model may follow it; never of a server's tool.
   */
  kind?: "page" | "instruction";
  /** Taken from a cache. */
  cached?: boolean;
  /** Whether the call was let through, and by which rule; absent where no rule was asked. */
  permission?: Permission;
  /** What an agent below has used for it, as that agent says; absent where no agent of our kind answered. */
  usage?: AgentUsage | undefined;
  /** Why it failed, when `ok` is false. */
  error?: ToolFailure;
}

export interface ToolContent {
  blocks: readonly Record<string, unknown>[];
  structured?: Record<string, unknown>;
  /** What the result's `_meta` says, such as `traceparent`; absent where it says nothing. */
  meta?: Record<string, unknown>;
}

/** What a run of an agent below, with the agents below that one, has used so far. Never negative, never infinite. */
export interface AgentUsage {
  /** Names the run: another result of the same run tells the same bill again, grown. */
  runId: string;
  tokens: number;
  /** US dollars, as far as they are known. */
  cost: number;
  isCostKnown: boolean;
  /** Whether it uses no more. */
  isOver: boolean;
}

export interface ToolFailure {
  /** `tool_changed`: the tool is no longer what was approved; `unavailable`: its server is not there now, and nothing was sent. */
  code: ErrorCode | "unknown_tool" | "invalid_arguments" | "denied" | "cancelled" | "tool_changed" | "unavailable";
  message: string;
}

/** Where a run stands, for a tool that tells the model. */
export interface RunFacts {
  /** The names of the tools on offer. */
  tools: readonly string[];
  /** Tool calls that may still be made, and all that the run may make. */
  toolCallsLeft: number;
  maxToolCalls: number;
  /** Rounds of deciding and acting. */
  maxIterations: number;
  /** Milliseconds until the time for acting is over. */
  leftMs: number;
  /** Tokens of the run, in and out, that are not used yet. */
  tokensLeft: number;
}

/** A page that an answer may cite. */
export interface Source {
  title: string;
  url: string;
  snippet: string;
}

export function createFailure(code: ToolFailure["code"], message: string): ToolResult {
  return { ok: false, text: message, error: { code, message } };
}

/** What was decided of one call, and by which rule. */
export interface Permission {
  /** `approved` and `declined` by a person; `unanswered` where nobody could be asked or nobody replied, so that it did not run. */
  decision: "allowed" | "approved" | "declined" | "unanswered" | "denied";
  /**
   * The rule as it was written, with the setting it stands in: `tools.ask: *:destructive`; `question.allow` where the question
   * itself allows less, `caller.allow` where the caller may use less, and `always` of a tool that asks each time.
   */
  rule: string;
}

/** A call that waits for a person. */
export interface ApprovalRequest {
  tool: string;
  arguments: JsonObject;
  /** Why it asks: the rule of the permission. */
  rule: string;
  /** Set where an approval counts for this call alone. */
  onlyOnce: boolean;
}

/**
 * What a person says: yes (`once`, `conversation`) or no (`no`, `never`), for this call or for all calls of that tool under that
 * rule in this conversation.
 */
export type Approval = "once" | "conversation" | "no" | "never";

/** Shows a call to a person and waits for the answer; undefined when nobody answers. Rejects only when the signal aborts. */
export type ApproveCall = (request: ApprovalRequest, signal: AbortSignal) => Promise<Approval | undefined>;

/** The same as a tool sees it; undefined when nobody has answered. */
export type Approve = (request: ApprovalRequest) => Promise<Approval | undefined>;

/** Many tools, to be found by what they are called and say of themselves. */
export interface ToolIndex {
  /** At most `limit` tools that fit the words, the best first; the same for the same words. */
  find(words: string, limit: number): FoundTool[];
}

export interface FoundTool {
  tool: Tool;
  /** From 0 to 1, and comparable between questions: 1 is the tool's own name. */
  score: number;
}
