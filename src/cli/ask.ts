import type { AskRequest, Duet } from "../app/open-duet.ts";
import type { AgentEvent } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";
import { toSafeJson } from "../kit/text/sanitize.ts";
import { createStepWriter } from "../render/step-writer.ts";
import { type Console, writeSafely } from "./console.ts";
import { createRenderer, type RenderOptions } from "./create-renderer.ts";
import { createApproveCall } from "./questions/approve-call.ts";
import { createConfirmPlan } from "./questions/confirm-plan.ts";
import { createAskElicitation } from "./questions/elicit.ts";
import { canBeAsked, createQuietScreen, openTerminalQuestions } from "./questions/reader.ts";

export interface AskOptions {
  duet: Duet;
  console: Console;
  request: AskRequest;
  output: "text" | "json" | "jsonl";
  verbose: boolean;
  hyperlinks: boolean;
}

/**
 * Answers one question on stdout. The exit code is that of docs/development/contract.md#commands: 0 complete, 1 failed, 3
 * partial, 130 cancelled.
 */
export async function runAsk({ duet, console, request, output, verbose, hyperlinks }: AskOptions): Promise<number> {
  const locale = duet.localeFor(request.question);
  const take = createEventWriter(output, { console, locale, verbose, hyperlinks });
  let outcome: Outcome | undefined;
  const write = (line: string) => writeSafely(console.stderr, `${line}\n`);
  const showsPlan = output !== "text" && !verbose;
  const questions = canBeAsked(console) ? openTerminalQuestions(console) : undefined;
  const screen = questions && createQuietScreen(questions.ask);
  const reader = screen && { locale, ask: screen.ask, write };
  const confirmPlan = reader && createConfirmPlan({ ...reader, showsPlan });
  const approveCall = reader && createApproveCall(reader);
  const elicit = reader && createAskElicitation(reader);
  try {
    for await (const event of duet.ask({ confirmPlan, approveCall, elicit, ...request })) {
      await screen?.free();
      if (event.type === "run-start" && event.mode === "plan") questions?.listen();
      take(event);
      if (event.type === "run-end") outcome = event.outcome;
    }
  } finally {
    questions?.close();
  }
  return toExitCode(outcome);
}

function createEventWriter(output: AskOptions["output"], options: RenderOptions): (event: AgentEvent) => void {
  const { console, locale, verbose } = options;
  if (output === "text") return createRenderer(options);
  const log = createStepWriter({ write: (line) => writeSafely(console.stderr, `${line}\n`), locale, verbose });
  return (event) => {
    if (verbose || (output === "json" && isWarning(event))) log(event);
    if (output === "jsonl") console.stdout.write(`${toSafeJson(event)}\n`);
    else if (event.type === "run-end") console.stdout.write(`${toSafeJson(event.outcome, 2)}\n`);
  };
}

/** Is true for an event that warns the reader. An outcome does not contain such events. */
function isWarning(event: AgentEvent): boolean {
  return event.type === "notice" && event.level === "warning" && !event.forLog;
}

const exitCodes: Record<Outcome["status"], number> = {
  complete: 0,
  failed: 1,
  partial: 3,
  cancelled: 130,
  running: 3,
  needs_confirmation: 3,
};

function toExitCode(outcome: Outcome | undefined): number {
  return outcome === undefined ? 1 : exitCodes[outcome.status];
}
