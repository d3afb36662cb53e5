import type { AgentsBill } from "../../core/run/outcome.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { renderSeconds } from "../../render/event-lines.ts";
import { type KnownCost, renderShortCost, toAgentsCost } from "../../render/known-cost.ts";
import { createElement, createList, createSection, type Part, setShown, setText } from "./dom.ts";
import type { PhaseBill, RunView } from "./run/run-view.ts";
import { phaseTitles, texts } from "./texts.ts";

/** A card shows a title with names and values below it. */
interface Card {
  readonly title: string;
  readonly entries: readonly (readonly [name: Text, value: string])[];
}

/** Shows what each phase used. An unknown cost is shown as unknown, never as zero. */
export function createBillPart(locale: Locale): Part<Pick<RunView, "bill" | "agents">> {
  const list = createElement("div", { class: "phases" });
  const whole = createSection("bill", say(locale, texts.bill), list);
  const showCards = createList(list, () => createCard(locale));
  return {
    element: whole,
    show({ bill, agents }) {
      const cards = bill.map((phase) => toPhaseCard(phase, locale));
      showCards(agents === undefined ? cards : [...cards, toAgentsCard(agents, locale)]);
      setShown(whole, cards.length > 0);
    },
  };
}

function toPhaseCard(bill: PhaseBill, locale: Locale): Card {
  return {
    title: say(locale, phaseTitles[bill.phase]),
    entries: [
      [texts.model, sanitizeLine(bill.model)],
      [texts.calls, String(bill.calls)],
      [texts.tokens, `${bill.inputTokens} → ${bill.outputTokens}`],
      [texts.time, renderSeconds(bill.elapsedMs)],
      [texts.cost, renderCost(toPhaseCost(bill), locale)],
    ],
  };
}

function toAgentsCard(bill: AgentsBill, locale: Locale): Card {
  return {
    title: say(locale, texts.agentsBelow),
    entries: [
      [texts.runs, String(bill.runs)],
      [texts.allTokens, String(bill.total_tokens)],
      [texts.cost, renderCost(toAgentsCost(bill), locale)],
    ],
  };
}

function renderCost(cost: KnownCost, locale: Locale): string {
  return renderShortCost(cost, locale) ?? say(locale, texts.unknown);
}

/** Returns the cost of a phase, of which nothing is known where a part is not. */
export function toPhaseCost({ costUsd }: PhaseBill): KnownCost {
  return { usd: costUsd ?? 0, isWhole: costUsd !== null };
}

function createCard(locale: Locale): Part<Card> {
  const title = createElement("h3");
  const list = createElement("dl");
  const showEntries = createList(list, () => createEntry(locale));
  return {
    element: createElement("div", { class: "phase" }, title, list),
    show(card) {
      setText(title, card.title);
      showEntries(card.entries);
    },
  };
}

function createEntry(locale: Locale): Part<Card["entries"][number]> {
  const term = createElement("dt");
  const detail = createElement("dd");
  return {
    element: createElement("div", {}, term, detail),
    show([name, value]) {
      setText(term, say(locale, name));
      setText(detail, value);
    },
  };
}
