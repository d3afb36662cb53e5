import { countRequestTokens } from "../../agent/context/context-window.ts";
import type { Models } from "../../agent/run.ts";
import { type Model, type ModelEvent, type ModelRequest, replaceStream, type Usage } from "../../core/model/model.ts";
import type { TurnBudget } from "../../core/model/turn-budget.ts";
import { addSpend, noSpend, type Spend } from "../../core/store/daily-usage.ts";
import { createDelivery } from "../../providers/middleware/delivery.ts";

/** Has all models reserve each turn. They stay one object when one model plays several roles. */
export function withTurnBudgets(models: Models, budget: TurnBudget | undefined): Models {
  if (budget === undefined) return models;
  const known = new Map<Model, Model>();
  const wrap = (model: Model): Model => {
    const wrapped = known.get(model) ?? withTurnBudget(model, budget);
    known.set(model, wrapped);
    return wrapped;
  };
  const { functionCall, answer, fallbacks } = models;
  return {
    functionCall: wrap(functionCall),
    answer: wrap(answer),
    ...(fallbacks && {
      fallbacks: { functionCall: fallbacks.functionCall.map(wrap), answer: fallbacks.answer.map(wrap) },
    }),
  };
}

/** Is how long a turn outside of any run may take, in milliseconds. */
const asideTurnMs = 120_000;

/** Limits how long a reservation can last, in milliseconds, whatever time its run has left: its process may be killed. */
const longestTurnMs = 600_000;

/** Is added to the time of a turn, in milliseconds, so that its reservation ends after it. */
const graceMs = 10_000;

/**
 * Reserves each turn of the model before it begins, and settles it after its end, whatever that is: here, or where the turn is recorded.
 */
export function withTurnBudget(model: Model, budget: TurnBudget | undefined): Model {
  if (budget === undefined) return model;
  return replaceStream(model, async (request, onEvent, signal) => {
    const wanted = estimateTurn(model, request);
    const leftMs = request.run?.leftMs() ?? asideTurnMs;
    const lastsMs = Math.min(Math.max(leftMs, 0), longestTurnMs) + graceMs;
    const reservation = await budget.reserve({ runId: request.run?.id, spend: wanted, lastsMs, signal });
    let used: Spend | undefined;
    const charge = (usage: Usage): void => {
      used = addSpend(used ?? noSpend, toSpend(model, usage));
    };
    // A turn that its receiver ended has used something, also where nobody says what.
    const delivery = createDelivery(onEvent);
    const pass = (event: ModelEvent): void => {
      if (event.type === "spent") charge(event.usage);
      delivery.onEvent(event);
    };
    try {
      const turn = await model.stream(request, pass, signal);
      charge(turn.usage);
      return turn;
    } finally {
      const charge = { reservation, used: used ?? (delivery.isRefused ? wanted : noSpend) };
      if (request.run?.charge) request.run.charge(charge);
      else await reservation.settle(charge.used);
    }
  });
}

/** Is assumed for a model whose output has no known limit, in tokens. */
const usualOutput = 8192;

/** Returns the most that a turn is expected to use: its request, and all the output that it may write. */
function estimateTurn(model: Model, request: ModelRequest): Spend {
  const inputTokens = countRequestTokens(model, request);
  const outputTokens = (request.maxTokens ?? model.maxTokens ?? usualOutput) + (model.outputAllowance ?? 0);
  return toSpend(model, { inputTokens, outputTokens, reasoningTokens: 0, cachedTokens: 0 });
}

function toSpend(model: Model, usage: Usage): Spend {
  return { tokens: usage.inputTokens + usage.outputTokens, cost: model.cost?.(usage) ?? 0 };
}
