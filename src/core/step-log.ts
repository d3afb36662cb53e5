import { cutText } from "./cut-text.ts";
import type { AgentEvent } from "./events.ts";
import { billLine, lineOf } from "./lines.ts";
import type { Locale } from "./locale.ts";
import type { Outcome } from "./outcome.ts";
import { outcomeLines } from "./outcome-lines.ts";
import { createPlanLines } from "./plan-lines.ts";
import { printableLine } from "./printable.ts";

export interface StepLogOptions {
  /** Takes one line, or a whole call; it is not cleaned yet. */
  write(line: string): void;
  locale: Locale;
  /** Whole thoughts, and each call's whole input and output. */
  verbose: boolean;
}

/** Everything of a run but its answer, a line each: steps, models, results, and at the end what it came to and used. */
export function createStepLog({ write, locale, verbose }: StepLogOptions): (event: AgentEvent) => void {
  const planLines = createPlanLines(locale);
  /** The thought or reasoning that is still growing. */
  let thinking = "";
  /** What it is made of now. */
  let growing: AgentEvent["type"] | undefined;

  function closeThought(): void {
    const thought = printableLine(thinking);
    thinking = "";
    if (thought !== "") write(`💭 ${verbose ? thought : cutText(thought, 300)}`);
  }

  function end(outcome: Outcome): void {
    if (verbose) for (const call of outcome.tool_calls) write(callInFull(call));
    for (const line of outcomeLines(outcome, locale)) write(line);
    write(`  ${billLine(outcome, locale)}`);
  }

  return (event) => {
    if (event.type === "thought-delta" || event.type === "reasoning-delta") {
      thinking += growing === event.type || thinking === "" ? event.text : `\n${event.text}`;
      growing = event.type;
      return;
    }
    closeThought();
    if (event.type === "run-end") end(event.outcome);
    if (event.type === "plan") for (const line of planLines(event.steps)) write(line);
    const line = verbose && event.type === "tool-start" ? inputInFull(event) : lineOf(event, locale);
    if (line !== undefined) write(line);
  };
}

function inputInFull({ tool, arguments: args }: Extract<AgentEvent, { type: "tool-start" }>): string {
  return printableLine(`🔧 ${tool} ${JSON.stringify(args)}`);
}

function callInFull(call: Outcome["tool_calls"][number]): string {
  return `── ${call.tool} ${JSON.stringify(call.arguments)}\n${call.result}`;
}
