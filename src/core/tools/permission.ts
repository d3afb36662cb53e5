import type { JsonObject } from "../../kit/json.ts";

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
