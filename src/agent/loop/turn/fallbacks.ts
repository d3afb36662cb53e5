import { type Model, toModelName } from "../../../core/model/model.ts";
import { DuetError, type ErrorCode } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { getContextWindow } from "../../context/context-window.ts";
import { getRemainingBudget } from "../../limits/reached-limit.ts";
import type { ModelRole } from "../../limits/statistics.ts";
import type { LoopState, Run } from "../../run.ts";
import { refusedKeyError } from "./refused-keys.ts";

export interface RoleModel {
  role: ModelRole;
  model: Model;
}

/** Lists the models for a turn: the one of its role and its fallbacks, without those that failed earlier in the run. */
export function listTurnModels(run: Run, { role, model }: RoleModel): [Model, ...Model[]] {
  const usable = listRoleModels(run, { role, model }).filter((one) => !hasFailed(run, { role, model: one }));
  const [first = model, ...others] = usable;
  return [first, ...others];
}

/** Returns true when all models of the role have failed in this run, and had others to take over. */
export function hasOnlyFailedModels(run: Run, { role, model }: RoleModel): boolean {
  return listRoleModels(run, { role, model }).every((one) => hasFailed(run, { role, model: one }));
}

function listRoleModels({ services }: Run, { role, model }: RoleModel): Model[] {
  return [model, ...(services.models.fallbacks?.[role] ?? [])];
}

function hasFailed({ state }: Run, { role, model }: RoleModel): boolean {
  return state.failedModels.get(model)?.has(role) === true;
}

export interface FailedTurn extends RoleModel {
  thrown: unknown;
  /** Is true when the model that failed had taken over itself: then every error of its own makes room for the next. */
  isFallback: boolean;
  /** Lists the models that have not been asked yet. */
  others: readonly Model[];
  /** Is true when the budgets of the run say whether another model may begin. An answer is always written. */
  isBounded: boolean;
}

/**
 * Chooses the model that takes over from one that failed before it had said anything. Returns undefined when none may: the fault is
 * not the model's, the run's budget is used up, or nobody is left whose key is not refused. A request that is too long goes to
 * the first model that reads more.
 */
export function chooseFallback(
  run: Run,
  { thrown, isFallback, model, others, isBounded }: FailedTurn,
): Model | undefined {
  if (!(thrown instanceof DuetError) || !(isFallback || isOutage(thrown))) return undefined;
  if (isBounded && isBudgetUsed(run)) return undefined;
  const usable = others.filter((other) => refusedKeyError(run.state, other) === undefined);
  const roomier = thrown.code === "context_overflow" ? usable.find((other) => canReadMore(other, model)) : undefined;
  return roomier ?? usable[0];
}

/** Returns true when one of the models reads more than this one, so that a request need not be cut for it. */
export function hasRoomierModel(others: readonly Model[], model: Model): boolean {
  return others.some((other) => canReadMore(other, model));
}

function canReadMore(one: Model, than: Model): boolean {
  return getContextWindow(one) > getContextWindow(than);
}

/** Lists the errors for which a model is left: it is busy, down or slow, has no credit, or cannot read so much. */
const outages: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "rate_limit",
  "quota",
  "server",
  "network",
  "timeout",
  "context_overflow",
]);

/** Counts a reply that broke off before its first word as an outage, too. */
function isOutage({ code, retryable }: DuetError): boolean {
  return outages.has(code) || (code === "bad_response" && retryable);
}

function isBudgetUsed({ state, input }: Run): boolean {
  const { tokens, cost } = getRemainingBudget(state, input.limits);
  return tokens === 0 || cost === 0;
}

const allRoles: readonly ModelRole[] = ["functionCall", "answer"];

/** Has later turns of the run begin with the model that takes over. */
export function rememberFailure({ failedModels }: LoopState, { role, model }: RoleModel, thrown: unknown): void {
  const isTooLong = thrown instanceof DuetError && thrown.code === "context_overflow";
  failedModels.set(model, new Set([...(failedModels.get(model) ?? []), ...(isTooLong ? [role] : allRoles)]));
}

export function describeFallback(from: Model, to: Model, { text }: DuetError): Text {
  const [failed, next] = [toModelName(from), toModelName(to)];
  return {
    zh: `${failed} 出错，改由备用模型 ${next} 继续：${text.zh}`,
    en: `${failed} failed, the fallback model ${next} takes over: ${text.en}`,
  };
}

export function describeStandIn(model: Model): Text {
  const name = toModelName(model);
  return { zh: `代替 ${name}`, en: `in place of ${name}` };
}

/** Returns the error for a request that would have to be cut for this model although another can read all of it. */
export function tooLongRequestError(model: Model): DuetError {
  const name = toModelName(model);
  const window = getContextWindow(model).toLocaleString("en");
  return new DuetError({
    code: "context_overflow",
    text: {
      zh: `请求对 ${name} 来说太长（上下文窗口 ${window} 个 token）`,
      en: `the request is too long for ${name} (context window ${window} tokens)`,
    },
  });
}
