import type { AcpSettings } from "../../config/config.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { reportNotice } from "../../core/tools/report-notice.ts";
import type { Approval, ApprovalRequest, ToolContext } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";

/** Asks a person on behalf of an agent while it works on one question. */
export interface AgentConsent {
  /** Returns the decision, and undefined where nobody has decided. `left` takes the question back. Never rejects. */
  ask(request: ApprovalRequest, left?: AbortSignal): Promise<Approval | undefined>;
  /** Takes what people want instead of what they have refused, to be told to the agent. */
  takeInstead(): string[];
  /** Withdraws the questions, and asks no more: the agent's work is over. */
  close(): void;
}

export interface ConsentOptions {
  /** Is the name of the agent in the configuration. */
  name: string;
  permissions: AcpSettings["permissions"];
  context: Pick<ToolContext, "approve" | "notice">;
  /** Takes secrets out of what a person is shown, which models of hosts read, too. */
  redact: Redact;
  /** Ends the questions when it aborts. */
  signal: AbortSignal;
}

/** Limits the questions to a person about one question to an agent. More are refused unseen: nobody reads that many. */
const mostQuestions = 50;

export function createAgentConsent({ name, permissions, context, redact, signal }: ConsentOptions): AgentConsent {
  const { approve } = context;
  const over = new AbortController();
  const withdrawn = AbortSignal.any([signal, over.signal]);
  const instead: string[] = [];
  let before: Promise<unknown> = Promise.resolve();
  let asked = 0;
  let hasTold = false;

  function noteMissing(why: Text): undefined {
    if (!hasTold) reportNotice(context, noticeKinds.approvalMissing, why);
    hasTold = true;
    return undefined;
  }

  async function askPerson(request: ApprovalRequest, left?: AbortSignal): Promise<Approval | undefined> {
    const taken = left ? AbortSignal.any([withdrawn, left]) : withdrawn;
    if (taken.aborted) return undefined;
    if (approve === undefined) return noteMissing(describeNobody(name, request));
    const answer = await ignoreRejection(
      waitAbortable(approve(redactValue(request, redact), taken), taken),
      "a question that is withdrawn has no answer",
    );
    if (typeof answer === "object") instead.push(answer.instead);
    return answer;
  }

  return {
    ask(request, left) {
      if (permissions === "allow") return Promise.resolve("once");
      if (permissions === "refuse") return Promise.resolve("no");
      asked += 1;
      // Those that wait their turn are held in memory.
      if (asked > mostQuestions) return Promise.resolve(noteMissing(describeFlood(name)));
      // One after the other, whatever the agent asks at one time.
      const answer = before.then(() => askPerson(request, left));
      before = answer;
      return answer;
    },
    takeInstead: () => instead.splice(0),
    close: () => over.abort(new Error("the agent's work is over")),
  };
}

/** This text is for the reader, who can change the setting. */
function describeNobody(name: string, { tool }: ApprovalRequest): Text {
  return {
    zh: `智能体 ${name} 请求许可（${tool}），而这里没有人可以询问，所以拒绝了。可以设置 agents.${name}.acp.permissions。`,
    en: `The agent ${name} asked for permission (${tool}) and nobody can be asked here, so it was refused. agents.${name}.acp.permissions can be set.`,
  };
}

function describeFlood(name: string): Text {
  return {
    zh: `智能体 ${name} 在一个问题中请求许可超过 ${mostQuestions} 次，其余的都拒绝了。`,
    en: `The agent ${name} asked for permission more than ${mostQuestions} times for one question; the rest was refused.`,
  };
}
