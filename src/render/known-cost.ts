import type { AgentsBill, ModelBill } from "../core/run/outcome.ts";
import { type Locale, say } from "../kit/locale.ts";

/** Holds a cost, which may be known only in part. */
export interface KnownCost {
  /** Is in US dollars, for everything or for the part that is known. */
  usd: number;
  isWhole: boolean;
}

export const noCost: KnownCost = { usd: 0, isWhole: true };

export function addCosts(a: KnownCost, b: KnownCost): KnownCost {
  return { usd: a.usd + b.usd, isWhole: a.isWhole && b.isWhole };
}

/** Returns the cost of a role. Calls that failed before they used a token cost nothing. */
export function toModelCost({ cost_usd, input_tokens, output_tokens }: ModelBill): KnownCost {
  return toKnownCost(cost_usd, input_tokens + output_tokens);
}

export function toAgentsCost({ cost_usd, known_cost_usd, total_tokens }: AgentsBill): KnownCost {
  return toKnownCost(cost_usd, total_tokens, known_cost_usd);
}

function toKnownCost(cost: number | null, tokens: number, part = 0): KnownCost {
  return cost === null ? { usd: part, isWhole: tokens === 0 } : { usd: cost, isWhole: true };
}

/**
 * Renders a cost for people. When a part is unknown, the known part is shown as a lower bound. Returns undefined when nothing
 * known is worth showing.
 */
export function renderCost({ usd, isWhole }: KnownCost, locale: Locale): string | undefined {
  if (isWhole) return renderDollars(usd);
  if (!isShown(usd)) return undefined;
  const known = `≥ ${renderDollars(usd)}`;
  return say(locale, { zh: `${known}（费用部分未知）`, en: `${known} (part of the cost is unknown)` });
}

/** Renders a cost where there is little room. Returns undefined when nothing known is worth showing. */
export function renderShortCost({ usd, isWhole }: KnownCost, locale: Locale): string | undefined {
  if (isWhole) return renderDollars(usd);
  const known = renderDollars(usd);
  return isShown(usd) ? say(locale, { zh: `至少 ${known}`, en: `at least ${known}` }) : undefined;
}

function isShown(usd: number): boolean {
  return usd >= smallest;
}

export function renderDollars(cost: number): string {
  if (cost === 0) return "$0";
  if (cost >= 1) return `$${cost.toFixed(2)}`;
  return cost >= smallest ? `$${cost.toFixed(4)}` : `<$${smallest}`;
}

const smallest = 0.0001;
