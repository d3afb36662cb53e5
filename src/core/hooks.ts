import type { JsonObject } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import type { Tool } from "./tools/tool.ts";

/** Lists the events at which hooks run, under the names that Claude Code documents. */
export const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "StopFailure",
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** Describes one occurrence of an event to its hooks. */
export interface HookCall {
  event: HookEvent;
  /** Is what matchers are compared with: the tool's name, or how the session began. */
  subject: string;
  /** Holds the fields of the event, beside those that every event has. */
  input: JsonObject;
  /** Is the call that the `if` of a hook is compared with. */
  call?: { tool: Tool; args: JsonObject } | undefined;
  signal: AbortSignal;
  /** Is called when a hook begins, with what to show meanwhile. */
  onStart?(line: Text): void;
}

/** Holds what one hook said. A hook that said nothing has its name alone. */
export interface HookReply {
  /** Names the hook for people: its event, its matcher and its command. */
  name: string;
  /** Is the decision about a call. */
  decision?: "allow" | "ask" | "deny" | undefined;
  /** Is true where the hook blocks what its event is about. */
  isBlocking?: true | undefined;
  /** Explains the decision or the block. */
  reason?: string | undefined;
  updatedInput?: JsonObject | undefined;
  /** Replaces what a tool returned. */
  updatedOutput?: string | undefined;
  /** Is a text for the models. */
  context?: string | undefined;
  /** Ends the run. It is why, for people, and may be empty. */
  stop?: string | undefined;
  /** Is a text for people. */
  message?: string | undefined;
  /** Says what went wrong with the hook. What it would have said is not known then, and it blocks nothing. */
  problem?: Text | undefined;
}

/** Runs the hooks of the configuration. */
export interface HookRunner {
  /** Is true where some hook is set for one of these events. */
  has(...events: HookEvent[]): boolean;
  /** Runs the hooks that match, side by side, and returns what they said, in the order of the configuration. Rejects only when the signal aborts. */
  run(call: HookCall): Promise<HookReply[]>;
}

/** Holds what the process knows of a conversation's hooks. A run fills it in. */
export interface HookSession {
  /** Says how the process took up the conversation. */
  readonly source: "startup" | "resume";
  /** Is what hooks gave the models at that time, and undefined until they have run. */
  context?: string | undefined;
}
