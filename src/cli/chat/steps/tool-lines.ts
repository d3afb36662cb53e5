import type { AgentEvent, ToolEnd } from "../../../core/run/events.ts";
import type { JsonValue } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import {
  renderProgress,
  renderResultCount,
  renderSeconds,
  toCallName,
  toResultName,
} from "../../../render/event-lines.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line, type Span, type Style } from "../../terminal/text/line.ts";
import { countCells } from "../../terminal/text/width.ts";
import { cutLine } from "../../terminal/text/wrap.ts";
import type { Scrollback } from "./scrollback.ts";
import type { StepLog } from "./step.ts";

/** Limits the text put into one line, in UTF-16 units; the screen cuts it further. */
const longestText = 400;
/** Counts the cells that a call's arguments have even where the line is full. */
const leastArguments = 12;

/** Shows each call of a run as one line while it runs and one line afterwards, with the first hits of a search below it. */
export interface ToolLines {
  startCall(event: Extract<AgentEvent, { type: "tool-start" }>): void;
  handleProgress(event: Extract<AgentEvent, { type: "tool-progress" }>): void;
  finishCall(event: ToolEnd): void;
  /** Closes those that have not come to their end. */
  closeOpenCalls(): void;
  renderLive(rows: number): Line[];
  /** Counts the calls that are going on. */
  readonly count: number;
}

export interface ToolLinesOptions {
  screen: Pick<Screen, "size">;
  scrollback: Scrollback;
  steps: StepLog;
  locale: Locale;
  now(): number;
  /** Returns the current frame of the spinner. */
  spin(): string;
}

interface Call {
  tool: string;
  /** Holds the arguments on one line. */
  args: string;
  startedAt: number;
  progress: string;
}

export function createToolLines({ screen, scrollback, steps, locale, now, spin }: ToolLinesOptions): ToolLines {
  const running = new Map<string, Call>();

  function finish(callId: string, { sign, style, name, facts }: FinishedLine): void {
    const call = running.get(callId);
    const step = steps.findByCall(callId);
    running.delete(callId);
    const number = step ? ` #${step.number}` : "";
    const head: Span[] = [{ text: sign, styles: [style] }, { text: ` 🔧 ${name}` }];
    const tail = facts.map((fact) => ` · ${fact}`).join("") + number;
    const available = screen.size.columns - countCells(`${sign} 🔧 ${name} ${tail}`);
    const args = call && available >= leastArguments ? cutLine(createLine(` ${call.args}`, "dim"), available) : [];
    scrollback.write([...head, ...args, { text: tail, styles: ["dim"] }]);
  }

  function createDetailLine(text: string, ...styles: Style[]): Line {
    return cutLine(createLine(`   ${toShortLine(text, longestText)}`, ...styles), screen.size.columns);
  }

  function renderLiveCall({ tool, args, startedAt, progress }: Call): Line {
    const head: Span[] = [{ text: spin(), styles: ["accent"] }, { text: ` 🔧 ${toCallName(tool, locale)}` }];
    const facts = [renderSeconds(now() - startedAt), progress].filter((fact) => fact !== "");
    const tail = facts.map((fact) => ` · ${fact}`).join("");
    const { columns } = screen.size;
    const available = columns - countCells(`${head.map(({ text }) => text).join("")} ${tail}`);
    const shown = available >= leastArguments ? cutLine(createLine(` ${args}`, "dim"), available) : [];
    return cutLine([...head, ...shown, { text: tail, styles: ["dim"] }], columns);
  }

  return {
    startCall({ callId, tool, title, arguments: args }) {
      running.set(callId, { tool: title ?? tool, args: shortenArguments(args), startedAt: now(), progress: "" });
    },
    handleProgress(event) {
      const call = running.get(event.callId);
      if (call && event.isStep) return scrollback.write(createDetailLine(`${call.tool} ${event.message}`, "dim"));
      if (call) call.progress = toShortLine(renderProgress(event), longestText);
    },
    finishCall(event) {
      const { callId, ok, cached, elapsedMs, preview, error, top = [] } = event;
      const tool = event.title ?? event.tool;
      const name = ok && event.resultCount !== undefined ? toResultName(tool, locale) : toCallName(tool, locale);
      const facts = [
        renderSeconds(elapsedMs),
        cached && say(locale, { zh: "来自缓存", en: "cached" }),
        event.resultCount !== undefined && renderResultCount(event.resultCount, locale),
      ].filter((fact) => typeof fact === "string");
      finish(callId, { sign: ok ? "✓" : "✗", style: ok ? "good" : "bad", name, facts });
      if (!ok) return scrollback.write(createDetailLine(error?.message ?? preview, "bad"));
      for (const { n, title, snippet } of top)
        scrollback.write(
          createDetailLine(`[${n}] ${toShortLine(title, 200)}${snippet.trim() === "" ? "" : ` — ${snippet}`}`, "dim"),
        );
      if (top.length === 0 && preview.trim() !== "") scrollback.write(createDetailLine(preview, "dim"));
    },
    get count() {
      return running.size;
    },
    closeOpenCalls() {
      for (const [callId, { tool, startedAt }] of [...running]) {
        const facts = [renderSeconds(now() - startedAt), say(locale, { zh: "已中断", en: "cut off" })];
        finish(callId, { sign: "✗", style: "bad", name: toCallName(tool, locale), facts });
      }
    },
    renderLive(rows) {
      const calls = [...running.values()];
      if (calls.length <= rows) return calls.map(renderLiveCall);
      if (rows < 1) return [];
      const more = calls.length - rows + 1;
      const rest = say(locale, { zh: `… 还有 ${more} 个调用`, en: `… ${more} more calls` });
      return [...calls.slice(0, rows - 1).map(renderLiveCall), cutLine(createLine(rest, "dim"), screen.size.columns)];
    },
  };
}

interface FinishedLine {
  sign: string;
  style: Style;
  name: string;
  facts: readonly string[];
}

function shortenArguments(args: JsonValue): string {
  return toShortLine(typeof args === "string" ? args : JSON.stringify(args), longestText);
}
