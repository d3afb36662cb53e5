import type { Model, ModelRequest } from "../../core/model/model.ts";
import type { Run } from "../run.ts";
import { type FitOptions, type FittedRequest, fitRequest } from "./fit-request.ts";

/** Once results have to be shortened, they are shortened to this share of the budget, so that the next rounds need no other cut. */
const easedShare = 0.8;

/**
 * Shortens a request of a run until it fits the model's window. What a model was sent shortened stays so in its next requests, which
 * therefore begin with what the vendor has in its cache.
 */
export function fitRunRequest(
  { state: { results, windows }, input: { marker } }: Run,
  { model, request }: { model: Model; request: ModelRequest },
  limits: Pick<FitOptions, "budget" | "mayCutWords">,
): FittedRequest {
  const readsOn = request.tools.length > 0;
  const fitting: FitOptions = {
    ...limits,
    marker,
    shorten: (text, kept) => results.shorten(text, kept, readsOn),
  };
  const known = windows.shortened.get(model) ?? new Map();
  const before =
    known.size === 0 ? request : { ...request, messages: request.messages.map((one) => known.get(one) ?? one) };
  const made = fitRequest(model, before, fitting);
  if (made.cut === "nothing") return made;
  const eased = fitRequest(model, before, { ...fitting, budget: limits.budget * easedShare, mayCutWords: false });
  const fitted = fitRequest(model, eased.request, fitting);
  for (const [index, message] of request.messages.entries()) {
    const sent = fitted.request.messages[index];
    if (sent !== undefined && sent !== message && message.role === "tool") known.set(message, sent);
  }
  windows.shortened.set(model, known);
  return { request: fitted.request, cut: fitted.cut === "words" ? "words" : "results" };
}
