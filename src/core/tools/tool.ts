import type * as z from "zod";
import type { DuetError, RpcError } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Chain } from "../chain.ts";
import type { Elicit } from "../forms/elicitation.ts";
import type { SourceKind } from "../model/messages.ts";
import type { TextBilling } from "../model/turn-budget.ts";
import type { getApprovalSchema } from "../questions/reply-schemas.ts";
import type { approvalRequestSchema } from "../questions/user-question.ts";
import type { Mode } from "../run/outcome.ts";
import type { permissionSchema, toolFailureSchema } from "../schemas/events-schema.ts";
import type { CallingHost } from "./calling-host.ts";
import type { DataFlow, SendingGuard } from "./data-flow.ts";
import type { HookDecision } from "./hook-decision.ts";

/** Represents one tool of the agent: a built-in, a user's module, or a tool of a downstream MCP server. */
export interface Tool {
  /**
   * Is unique among all tools and matches `^[a-zA-Z0-9_-]{1,64}$`, unless it is a client's tool, which is called as its program calls it:
   * `withToolRequestLimits` gives vendors a name that they take.
   */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Describes the structured content of a result. Hosts get it, and models never do. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Names the origin of the tool: `builtin`, `user`, `skills`, the configured name of a server, or `clientSource`. */
  readonly source: string;
  readonly annotations: ToolAnnotations;
  /** Returns what its server says for hosts alone; undefined where that is not known yet. Absent for a tool of no server. */
  hostFields?(): HostToolFields | undefined;
  /**
   * Replaces `annotations` for one call when they depend on the arguments, such as for a request that only reads. A server's
   * tool never has it.
   */
  annotationsFor?(args: JsonObject): ToolAnnotations;
  /** Requires a person's approval for each call, whatever the rules say. */
  readonly alwaysAsks?: boolean | undefined;
  /** Is true for a tool that is an agent itself. A call to it may take more of a run's time than other calls. */
  readonly isAgent?: boolean | undefined;
  readonly dataFlow?: DataFlow | undefined;
  /** Holds limits that apply to each call and that documents of the tool show. */
  readonly callLimits?: CallLimits | undefined;
  /**
   * Returns true when a failed call may be repeated although the first one may have had an effect. Own tools follow their own
   * annotations, and a server's tool follows only a definition that a person has approved. No call may be repeated when this is
   * absent.
   */
  canRepeat?(this: Tool, args: JsonObject): boolean;
  /**
   * Returns true for a call that is never made before its context's `approve` has been asked about it, and false where a yes to
   * another call may be enough. Absent where nobody is asked.
   */
  needsConsent?(args: JsonObject, context: Pick<ToolContext, "sending">): boolean;
  /** Gets validated arguments. May throw or reject: whoever calls it turns that into a failed result. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
  /**
   * Returns the problems of the arguments without running anything. It is absent when only a run can tell. Throws as `run` does.
   */
  check?(args: JsonObject): Promise<ArgumentProblem[]>;
}

/** Is the source of tools that the asking program runs itself. No server can have this name. */
export const clientSource = "(client)";

/** Returns true for a tool that the asking program runs itself. */
export function isOfClient(tool: Pick<Tool, "source"> | undefined): boolean {
  return tool?.source === clientSource;
}

export interface CallLimits {
  timeoutMs?: number;
  /** Is true when a person has to approve each call. */
  asks?: boolean;
}

/** Describes one problem of the arguments by its place (`filters.labels[2]`; empty for the arguments as a whole) and a text. */
export interface ArgumentProblem {
  path: string;
  text: Text;
}

/** Holds what a server says of a tool for hosts and their people. No model sees it, and nobody has to approve it. */
export interface HostToolFields {
  /** Is the server's own name for the tool. */
  name: string;
  /** Says where the server has written the title. */
  titleIn: "tool" | "annotations" | "both";
  icons?: readonly unknown[];
  /** Holds, for example, which page of the server shows the tool's results (MCP Apps). */
  meta?: Readonly<Record<string, unknown>>;
}

/** Holds a tool's claims about itself. People and hosts see them, and they never relax a policy. */
export interface ToolAnnotations {
  title?: string;
  /** Holds the title of the annotations where it is not that of the tool. */
  titleHint?: string;
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
}

export interface ToolContext {
  /** Aborts when the run is cancelled, out of time, or the call is. */
  readonly signal: AbortSignal;
  readonly locale: Locale;
  /** Holds the chain that is passed to a tool that is an agent itself, and is absent when the caller is no agent. */
  readonly chain?: Chain | undefined;
  /** Asks the reader; absent where nobody can be asked. */
  readonly approve?: Approve | undefined;
  /** Hands on a question of the program below to the reader; absent where nobody can be asked. */
  readonly elicit?: Elicit | undefined;
  /** Follows what the run has read, and is absent when the caller is no agent. */
  readonly sending?: SendingGuard | undefined;
  readonly wantsContent?: boolean | undefined;
  /** Is the host that has made the call; absent for a call of a run. */
  readonly host?: CallingHost | undefined;
  /** Is whose call it is, as in `Caller.owner`; absent where callers are not told apart. */
  readonly owner?: string | undefined;
  /** Holds what the host has said in the `_meta` of its call, for the server of the tool. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Takes the bills of texts that our models write for a server during the call (MCP sampling); absent where nobody is billed. */
  readonly billing?: TextBilling | undefined;
  /**
   * Holds the W3C trace context (`traceparent`, `tracestate`, `baggage`) of the call, which is passed to whatever the tool
   * calls.
   */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Returns the tools and the remaining limits of the run, and is absent when the caller is no agent. */
  readonly facts?: (() => RunFacts) | undefined;
  /** Says which call of which run this is, and is absent when the caller is no agent. */
  readonly call?: CallIdentity | undefined;
  /** Holds what hooks decided about the call. Rules of the operator still apply. */
  readonly hook?: HookDecision | undefined;
  /**
   * Does something before the call whose outcome counts for it, and records that with the run: one that goes on in another
   * process gets the recorded outcome. Absent where no run is recorded.
   */
  readonly remember?:
    | (<T>(name: string, isKnown: (value: unknown) => value is T, work: () => Promise<T>) => Promise<T>)
    | undefined;
  progress(message: string, progress?: number, total?: number): void;
  /** Tells the reader a step of the agent that the tool is; absent where nobody can see steps. */
  reportStep?(line: string): void;
  /** Shows what the agent that the tool is writes, where its last words are the answer of the run; absent elsewhere. */
  readonly writing?: AgentWriting | undefined;
  /** Takes what an agent has used for the call where there is no result that says it. Later bills of a run replace earlier ones. */
  charge?(usage: AgentUsage): void;
  /**
   * Tells the reader something once, beside the result (a third party that gets data, a fallback taken). It is in both languages,
   * because the reader's may be another than that of the models. It is `info` as a rule.
   */
  notice(code: string, message: Text, level?: "warning"): void;
}

/** Shows the words of an agent as it writes them. Nobody can know yet whether they are its last ones. */
export interface AgentWriting {
  write(text: string): void;
  /** Says that what was written is no part of the answer: the agent does something else after it. */
  endThought(): void;
}

/** Identifies a call in its run. */
export interface CallIdentity {
  id: string;
  runId: string;
  conversationId: string;
  mode: Mode;
}

export interface ToolResult {
  ok: boolean;
  /** Holds the text that the model reads. It is untrusted and never becomes an instruction. */
  text: string;
  /** Replaces `text` for people, where `text` tells the model what to do. */
  shown?: string;
  /**
   * Holds the result in MCP's shape for a host that asked for it. The blocks are as received, with the server's secrets removed.
   */
  content?: ToolContent | undefined;
  /** Holds the bytes of the images in the result, unchecked. The models that see images get them beside `text`. */
  images?: readonly Uint8Array[] | undefined;
  /** Lists the pages and files on which the result is based, in order. The agent numbers them for citation. */
  sources?: Source[];
  /**
   * With `page` or `file`, `text` comes from one source and is not a list of sources; with `files` from several, whose snippets
   * say what is from each, and with `cited` from several to which it refers by their numbers in the conversation. With
   * `instruction`, `text` is the user's own, such as a skill's, and a model may follow it; a server's tool never has this kind.
   */
  kind?: SourceKind;
  cached?: boolean;
  /** Holds the decision about the call and the rule behind it. It is absent when no rule was checked. */
  permission?: Permission;
  /** Holds the usage that a called agent reports, and is absent when no such agent answered. */
  usage?: AgentUsage | undefined;
  /** Holds the failure when `ok` is false. */
  error?: ToolFailure;
  /** Holds the arguments with which the call was made, where a hook has changed them. */
  arguments?: JsonObject | undefined;
  /** Is what hooks add for the model that reads the result. It is untrusted, as the text is. */
  note?: string | undefined;
  /** Says, for the model, in what the result breaks the output schema of its tool. It is untrusted. */
  misfit?: string | undefined;
  /** Is set where a hook ends the run; it says why, and may be empty. */
  stop?: string | undefined;
}

export interface ToolContent {
  blocks: readonly Record<string, unknown>[];
  /** Is set where the server has answered with a JSON-RPC error that concerns the host itself. There are no blocks then. */
  rpcError?: RpcError;
  structured?: Record<string, unknown>;
  /** Is true where secrets were taken out of the structured content, which need not fit its schema then. */
  isStructuredRedacted?: boolean;
  /** Holds the result's `_meta`, such as `traceparent`, and is absent when there is none. */
  meta?: Record<string, unknown>;
}

/**
 * Counts what a run of a called agent, including the agents that it called, has used so far. Values are never negative and never
 * infinite.
 */
export interface AgentUsage {
  /** Names the run. A later result of the same run replaces this usage and is not added to it. */
  runId: string;
  /** Counts the run itself and those of the agents that it called. */
  runs: number;
  tokens: number;
  /** Holds the known cost in US dollars. */
  cost: number;
  isCostKnown: boolean;
  /** Is true when the usage is final. */
  isOver: boolean;
  /** Is true where the agent's turns are counted by themselves for the day of the caller. */
  isCounted?: boolean;
}

export type ToolFailure = z.infer<typeof toolFailureSchema>;

/** Holds the state of a run for a tool that reports it to the model. */
export interface RunFacts {
  tools: readonly string[];
  /** Counts the tool calls that the run may still make. `maxToolCalls` is the total. */
  toolCallsLeft: number;
  maxToolCalls: number;
  /** Limits the rounds of deciding and acting. */
  maxIterations: number;
  /** Holds the milliseconds left for tool calls. */
  leftMs: number;
  /** Counts the run's unused tokens, input and output. */
  tokensLeft: number;
}

/** Names a page, a file or a document that a result comes from. */
export interface Source {
  title: string;
  url: string;
  snippet: string;
}

export function createFailure(code: ToolFailure["code"], message: string): ToolResult {
  return { ok: false, text: message, error: { code, message } };
}

/** Returns an expected error as the result of a tool. */
export function toFailure({ code, text, retryable }: DuetError, locale: Locale): ToolResult {
  const message = say(locale, text);
  const isFinal = code === "network" && !retryable;
  return { ok: false, text: message, error: { code, message, ...(isFinal && { retryable: false }) } };
}

export type Permission = z.infer<typeof permissionSchema>;

export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

export type ApprovalDecision = z.infer<ReturnType<typeof getApprovalSchema>>;

/** Is a decision, or a no that says what to do instead. */
export type Approval = ApprovalDecision | { instead: string };

/** Shows a call to a person and waits for the answer; undefined when nobody answers. Rejects only when the signal aborts. */
export type ApproveCall = (request: ApprovalRequest, signal: AbortSignal) => Promise<Approval | undefined>;

/** Asks for approval on behalf of a tool. Returns undefined when nobody answers. Rejects when `withdrawn` aborts. */
export type Approve = (request: ApprovalRequest, withdrawn?: AbortSignal) => Promise<Approval | undefined>;

/** Finds tools by their names and descriptions. */
export interface ToolIndex {
  /** Returns at most `limit` tools that match the words, best first. The same words always give the same result. */
  find(words: string, limit: number): FoundTool[];
}

export interface FoundTool {
  tool: Tool;
  /** Ranges from 0 to 1 and is comparable between searches. 1 means the tool's own name. */
  score: number;
  /** Is the share of the words that the tool has in any form, from 0 to 1. */
  coverage: number;
}
