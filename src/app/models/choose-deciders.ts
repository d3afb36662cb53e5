import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import { isOffline, type ToolDefinition, toModelName } from "../../core/model/model.ts";
import type { RuleRouter } from "../../core/model/rule-router.ts";
import type { Notice } from "../../core/run/events.ts";
import type { Mode } from "../../core/run/outcome.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { AskRequest } from "../ask/ask-request.ts";

/** Says who decides in a run: the models, and the rules before them where these are to answer what is plain. */
export interface Deciders {
  models: Models;
  router?: RuleRouter;
  notices: readonly Notice[];
}

export interface DecidersRequest {
  config: Pick<Config, "agent">;
  models: Models;
  request: AskRequest;
  conversation: Conversation;
  mode: Mode;
  tools: readonly ToolDefinition[];
  locale: Locale;
}

/**
 * Chooses between rules and models. With `agent.rules: "first"` the rules get a question that stands by itself. Where the rules are
 * the function-call model and a language model answers, that model decides too about what the rules do not know.
 */
export async function chooseDeciders(ask: DecidersRequest): Promise<Deciders> {
  const { config, models, request, conversation, mode, tools, locale } = ask;
  const byModels: Deciders = { models, notices: [] };
  if (mode === "chat" || conversation.pendingPlan !== undefined || isOffline(models.answer)) return byModels;
  const decidesByRules = isOffline(models.functionCall);
  if (!decidesByRules && (config.agent.rules !== "first" || mode !== "agent" || hasContext(ask))) return byModels;
  const { createRuleRouter } = await import("../../providers/offline/router.ts");
  const router = createRuleRouter();
  if (!decidesByRules) return { ...byModels, router };
  if (router.recognizes(request.question, tools)) return byModels;
  const { answer } = models;
  const message = say(locale, {
    zh: `规则认不出这个请求，由 ${toModelName(answer)} 选择工具并回答。`,
    en: `The rules do not know this request; ${toModelName(answer)} chooses the tools and answers.`,
  });
  const notice: Notice = { type: "notice", level: "info", code: "rules-unsure", message };
  return { models: { functionCall: answer, answer }, notices: [notice] };
}

/** Is true when the question may mean something else than its words say: it goes on from others, or comes with more. */
function hasContext({ request, conversation }: DecidersRequest): boolean {
  const { attachments = [], instruction = "", answerForm, toolChoice, stop } = request;
  return (
    conversation.turns.length > 0 ||
    attachments.length > 0 ||
    instruction.trim() !== "" ||
    (answerForm ?? toolChoice ?? stop) !== undefined
  );
}
