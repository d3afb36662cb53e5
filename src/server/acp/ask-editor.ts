import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { User } from "../../core/questions/user.ts";
import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { describeLimitQuestion, limitReplies } from "../../render/choice-texts.ts";
import { renderPlan } from "../../render/plan-lines.ts";
import { fromElicitationReply, toElicitation } from "../../render/questions/elicitation-wording.ts";
import type { Choice, EditorConsent } from "./ask-about-call.ts";

export interface EditorUserOptions {
  client: AgentContext;
  sessionId: string;
  capabilities: ClientCapabilities;
  locale: Locale;
  /** Puts questions about calls into the form that editors show. */
  consent: EditorConsent;
  /** Finds the call that a question is about, as the editor shows it. */
  findCall(question: UserQuestion<"call">): string | undefined;
}

/**
 * Creates the user behind an editor. Calls, plans and limits are asked as permissions; forms and addresses where the editor can show
 * them. An editor that closes a dialog has not answered.
 */
export function createEditorUser({
  client,
  sessionId,
  capabilities,
  locale,
  consent,
  findCall,
}: EditorUserOptions): User {
  async function choose<T extends string>(
    toolCall: ToolCallUpdate,
    choices: readonly Choice<T>[],
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const options = choices.map(
      ({ id, name, kind }): PermissionOption => ({ optionId: id, name: say(locale, name), kind }),
    );
    const request: RequestPermissionRequest = { sessionId, toolCall, options };
    const { outcome } = await client.request("session/request_permission", request, { cancellationSignal: signal });
    if (outcome.outcome !== "selected") return undefined;
    return choices.find(({ id }) => id === outcome.optionId)?.id;
  }

  async function elicit<K extends "form" | "url">(
    question: UserQuestion<K>,
    signal: AbortSignal,
  ): Promise<UserReply<K> | undefined> {
    const words = toElicitation(question, locale);
    const request: CreateElicitationRequest =
      words.kind === "url"
        ? { mode: "url", sessionId, message: words.message, url: words.url, elicitationId: createRandomHex() }
        : { mode: "form", sessionId, message: words.message, requestedSchema: words.schema };
    const reply: unknown = await client.request("elicitation/create", request, { cancellationSignal: signal });
    return isReply(reply) ? fromElicitationReply(question, reply) : undefined;
  }

  const kinds: {
    [K in QuestionKind]: (question: UserQuestion<K>, signal: AbortSignal) => Promise<UserReply<K> | undefined>;
  } = {
    async call(question, signal) {
      const callId = findCall(question) ?? `consent-${createRandomHex()}`;
      return consent.ask(question, callId, (call, choices) => choose(call, choices, signal));
    },
    async plan({ steps }, signal) {
      const text = renderPlan(steps, locale).join("\n");
      const call: ToolCallUpdate = {
        toolCallId: `plan-${createRandomHex()}`,
        title: say(locale, planTitle),
        kind: "switch_mode",
        content: [{ type: "content", content: { type: "text", text } }],
      };
      const reply = await choose(call, planChoices, signal);
      return reply && { reply };
    },
    async limit(question, signal) {
      const title = say(locale, describeLimitQuestion(question));
      return choose({ toolCallId: `limit-${createRandomHex()}`, title, kind: "other" }, limitChoices, signal);
    },
    form: elicit,
    url: elicit,
  };

  return {
    canAsk: (kind) => (kind === "form" || kind === "url" ? Boolean(capabilities.elicitation?.[kind]) : true),
    person: client,
    async ask<K extends QuestionKind>(question: UserQuestion<K>, signal: AbortSignal) {
      try {
        return await kinds[question.kind](question, signal);
      } catch {
        // Where the question was withdrawn the run ends by itself; an editor that fails has given no answer.
        signal.throwIfAborted();
        return undefined;
      }
    },
  };
}

function isReply(reply: unknown): reply is ElicitationReply {
  return isRecord(reply) && (reply.action === "accept" || reply.action === "decline" || reply.action === "cancel");
}

const planChoices: readonly Choice<"yes" | "no">[] = [
  { id: "yes", name: { zh: "执行", en: "Run it" }, kind: "allow_once" },
  { id: "no", name: { zh: "取消", en: "Cancel" }, kind: "reject_once" },
];

const limitChoices: readonly Choice<"go_on" | "stop">[] = [
  { id: "go_on", name: limitReplies.go_on, kind: "allow_once" },
  { id: "stop", name: limitReplies.stop, kind: "reject_once" },
];

const planTitle: Text = { zh: "执行这个计划吗？", en: "Run this plan?" };
