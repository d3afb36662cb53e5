import { toModelName } from "../../core/model.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { listTurnRuns } from "../../core/store/turn-runs.ts";
import type { AgentTrace, TraceStep } from "../../core/trace.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { toSafeJson, toShortLine } from "../../kit/text/sanitize.ts";
import { renderSeconds, stopReasons } from "../event-lines.ts";

/** Holds what is written of a conversation: its runs on one branch, oldest first. */
export interface ExportedConversation {
  id: string;
  title: string;
  runs: readonly AgentTrace[];
  /** Says where each run stands, when runs of several branches are there. */
  places?: readonly RunPlace[] | undefined;
}

/** Holds the number of a run's turn, and that of the turn which it follows: 0 for a first one. */
export interface RunPlace {
  n: number;
  parent: number;
}

/** Loads the runs of all branches in the order in which they ended. Returns undefined for a conversation of which nothing is stored. */
export async function loadWhole(
  store: ConversationStore,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<ExportedConversation | undefined> {
  const tree = await store.branches?.read(id);
  if (tree === undefined) return loadExported(store, { id, branch: undefined, signal });
  const runs: AgentTrace[] = [];
  const places: RunPlace[] = [];
  for (const { n, parent, runId } of tree.turns) {
    signal.throwIfAborted();
    const trace = runId === undefined ? undefined : await store.trace(runId);
    if (trace === undefined) continue;
    runs.push(trace);
    places.push({ n, parent });
  }
  const known = await store.load(id);
  return runs.length === 0 ? undefined : { id, title: known?.title ?? "", runs, places };
}

/** Returns undefined for a conversation of which nothing is stored. */
export async function loadExported(
  store: ConversationStore,
  { id, branch, signal }: { id: string; branch: number | undefined; signal: AbortSignal },
): Promise<ExportedConversation | undefined> {
  const runs: AgentTrace[] = [];
  for (const runId of await listTurnRuns(store, id, branch)) {
    signal.throwIfAborted();
    const trace = runId === undefined ? undefined : await store.trace(runId);
    if (trace) runs.push(trace);
  }
  const known = await store.load(id, branch);
  return runs.length === 0 ? undefined : { id, title: known?.title ?? "", runs };
}

/** Holds a step as every form shows it. */
export interface ExportedStep {
  /** Names the tool with its time, or the thought. */
  title: string;
  input: string;
  text: string;
}

/** Lists what the models thought and the calls of a run, with what the tools gave. */
export function listExportedSteps({ steps }: AgentTrace, locale: Locale): ExportedStep[] {
  return steps.flatMap((step) => [...toThought(step, locale), ...toCall(step)]);
}

function toThought({ thought = "", step }: TraceStep, locale: Locale): ExportedStep[] {
  const title = `${step}. ${say(locale, { zh: "💭 思考", en: "💭 Thought" })}`;
  return thought.trim() === "" ? [] : [{ title, input: "", text: thought.trim() }];
}

function toCall({ action, step, observation, tool_output, error, elapsed_ms }: TraceStep): ExportedStep[] {
  if (action?.type !== "action") return [];
  const sign = error === undefined ? "✓" : "✗";
  const title = `${step}. ${sign} ${toShortLine(action.tool, 80)} (${renderSeconds(elapsed_ms)})`;
  const input = typeof action.args === "string" ? action.args : toSafeJson(action.args, 2);
  return [{ title, input, text: error ?? tool_output ?? observation }];
}

/** Explains why there is no answer, or only part of one; empty for a whole answer. */
export function renderEnding({ status, finish_reason, error }: AgentTrace, locale: Locale): string {
  if (status === "complete") return "";
  const reason = say(locale, stopReasons[finish_reason]);
  return `⚠ ${toShortLine(error ? `${reason} · ${error.message}` : reason, 300)}`;
}

/** Returns the models that were called, each once, in their order. */
export function listModels(runs: readonly AgentTrace[]): string[] {
  const bills = runs.flatMap(({ models }) => [
    models.function_call,
    models.answer,
    ...(models.compact ? [models.compact] : []),
  ]);
  return [...new Set(bills.filter(({ calls }) => calls > 0).map(toModelName))];
}
