import type { AgentsBill } from "../../core/outcome.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { printableLine } from "../../kit/text/sanitize.ts";
import { seconds } from "../../render/event-lines.ts";
import { dollars } from "../../render/known-cost.ts";
import { element, listOf, type Part, section, setShown, setText } from "./dom.ts";
import type { PhaseBill, RunView } from "./run/run-view.ts";
import { phaseTitles, texts } from "./texts.ts";

/** A title and, under it, names with their values. */
interface Card {
  readonly title: string;
  readonly entries: readonly (readonly [name: Text, value: string])[];
}

/** What each phase used. A cost that is not known is said to be unknown, never nothing. */
export function createBill(locale: Locale): Part<Pick<RunView, "bill" | "agents">> {
  const list = element("div", { class: "phases" });
  const whole = section("bill", say(locale, texts.bill), list);
  const showCards = listOf(list, () => createCard(locale));
  return {
    element: whole,
    show({ bill, agents }) {
      const cards = bill.map((phase) => phaseCard(phase, locale));
      showCards(agents === undefined ? cards : [...cards, agentsCard(agents, locale)]);
      setShown(whole, cards.length > 0);
    },
  };
}

function phaseCard(bill: PhaseBill, locale: Locale): Card {
  return {
    title: say(locale, phaseTitles[bill.phase]),
    entries: [
      [texts.model, printableLine(bill.model)],
      [texts.calls, String(bill.calls)],
      [texts.tokens, `${bill.inputTokens} → ${bill.outputTokens}`],
      [texts.time, seconds(bill.elapsedMs)],
      [texts.cost, costOf(bill.costUsd, locale)],
    ],
  };
}

function agentsCard({ runs, total_tokens, cost_usd }: AgentsBill, locale: Locale): Card {
  return {
    title: say(locale, texts.agentsBelow),
    entries: [
      [texts.runs, String(runs)],
      [texts.allTokens, String(total_tokens)],
      [texts.cost, costOf(cost_usd, locale)],
    ],
  };
}

function costOf(cost: number | null, locale: Locale): string {
  return cost === null ? say(locale, texts.unknown) : dollars(cost);
}

function createCard(locale: Locale): Part<Card> {
  const title = element("h3");
  const list = element("dl");
  const showEntries = listOf(list, () => createEntry(locale));
  return {
    element: element("div", { class: "phase" }, title, list),
    show(card) {
      setText(title, card.title);
      showEntries(card.entries);
    },
  };
}

function createEntry(locale: Locale): Part<Card["entries"][number]> {
  const term = element("dt");
  const detail = element("dd");
  return {
    element: element("div", {}, term, detail),
    show([name, value]) {
      setText(term, say(locale, name));
      setText(detail, value);
    },
  };
}
