import type { MeasureRequest } from "../../../app/ask/measure-context.ts";
import type { Duet } from "../../../app/duet.ts";
import type { ModelCatalog } from "../../../app/models/model-catalog.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import type { StatusPart } from "../../../core/status-parts.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { addCosts, type KnownCost, noCost } from "../../../render/known-cost.ts";
import { countCells } from "../../terminal/text/width.ts";
import { readGitBranch } from "./git-branch.ts";
import type { SessionBill } from "./session-bill.ts";
import { type ContextFill, type StatusFacts, statusRows } from "./status-parts.ts";

/** Follows what the status line tells: it is asked at each frame, and learns the rest behind the scenes. */
export interface StatusLine {
  /** Renders the parts that fit into the columns, the least important ones left out first. */
  render(options: { canStop: boolean; columns: number }): string;
  /** Lists every fact in full, for `/status`. */
  listFacts(): { name: Text; value: string }[];
  handle(event: AgentEvent): void;
  /** Finds out what may have changed: the context of the conversation, and the Git branch. */
  refresh(): void;
}

export interface StatusLineOptions {
  duet: Pick<Duet, "measureContext">;
  catalog: Pick<ModelCatalog, "open">;
  /** Lists the parts to show; `off` shows none. */
  parts: readonly StatusPart[] | "off";
  bill: Pick<SessionBill, "total">;
  folder: string;
  home: string;
  /** Returns the settings and the models in force. */
  current(): Pick<StatusFacts, "settings" | "models">;
  /** Returns what the next question would be asked with; undefined while there is no conversation. */
  next(): Omit<MeasureRequest, "models"> | undefined;
  onChange(): void;
}

interface RunningUse {
  tokens: number;
  cost: KnownCost;
}

const noUse: RunningUse = { tokens: 0, cost: noCost };

export function createStatusLine(options: StatusLineOptions): StatusLine {
  const { duet, catalog, parts, bill, folder, home, onChange } = options;
  const running = new Map<string, string>();
  let context: ContextFill | undefined;
  let branch: string | undefined;
  /** Counts what the run that works has used so far. Its end is in the bill. */
  let use = noUse;
  let asked = 0;

  function getFacts(): StatusFacts {
    const { tokens, cost } = bill.total;
    const total = { tokens: tokens + use.tokens, cost: addCosts(cost, use.cost) };
    return { ...options.current(), ...total, context, folder, home, branch, tools: [...running.values()] };
  }

  /** Returns undefined where there is nothing to measure. Rejects where the question would. */
  async function measure(): Promise<ContextFill | undefined> {
    const next = options.next();
    if (next === undefined) return undefined;
    const models = await catalog.open(options.current().settings.models);
    const uses = await duet.measureContext({ ...next, models });
    const fills = uses.map(({ parts: sizes, window }) => {
      return { used: Object.values(sizes).reduce((sum, size) => sum + size, 0), window };
    });
    return fills.toSorted((one, other) => other.used / other.window - one.used / one.window)[0];
  }

  function handle(event: AgentEvent): void {
    if (event.type === "tool-start") running.set(event.callId, event.tool);
    if (event.type === "tool-end") running.delete(event.callId);
    if (event.type === "phase-end") {
      const { usage, costUsd } = event;
      const cost = costUsd === null ? { usd: 0, isWhole: false } : { usd: costUsd, isWhole: true };
      const tokens = usage.inputTokens + usage.outputTokens;
      use = { tokens: use.tokens + tokens, cost: tokens === 0 ? use.cost : addCosts(use.cost, cost) };
    }
    if (event.type === "run-start" || event.type === "run-end") {
      use = noUse;
      running.clear();
    }
  }

  return {
    handle,
    render({ canStop, columns }) {
      const facts = getFacts();
      const { locale } = facts.settings;
      const shown = parts === "off" ? [] : parts;
      const texts = shown.flatMap((part) => {
        const text = statusRows[part].render(facts, locale);
        return text === undefined || text === "" ? [] : [{ text, rank: statusRows[part].rank }];
      });
      const stop = canStop ? [{ text: say(locale, stopText), rank: Number.POSITIVE_INFINITY }] : [];
      return fitTexts([...stop, ...texts], columns);
    },
    listFacts() {
      const facts = getFacts();
      const { locale } = facts.settings;
      return Object.entries(statusRows).flatMap(([part, { name, render, renderWhole = render }]) => {
        const value = part === "help" ? undefined : renderWhole(facts, locale);
        return value === undefined ? [] : [{ name, value }];
      });
    },
    refresh() {
      asked += 1;
      const mine = asked;
      const show = <T>(found: Promise<T>, set: (value: T) => void): void => {
        found.then(
          (value) => {
            if (mine !== asked) return;
            set(value);
            onChange();
          },
          () => {},
        );
      };
      show(measure(), (found) => {
        context = found;
      });
      show(readGitBranch(folder), (found) => {
        branch = found;
      });
    },
  };
}

const stopText: Text = { zh: "Esc 停止", en: "Esc stops" };

/** Joins the texts in their order: of the highest rank on, those that still have room. The first of them stays in any case. */
function fitTexts(texts: readonly { text: string; rank: number }[], columns: number): string {
  const shown = new Set<string>();
  let left = columns;
  for (const { text } of texts.toSorted((one, other) => other.rank - one.rank)) {
    const cells = countCells(shown.size === 0 ? text : `${separator}${text}`);
    if (cells > left && shown.size > 0) continue;
    shown.add(text);
    left -= cells;
  }
  return texts
    .map(({ text }) => text)
    .filter((text) => shown.has(text))
    .join(separator);
}

const separator = " · ";
