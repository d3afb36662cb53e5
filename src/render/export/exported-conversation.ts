import { toModelName } from "../../core/model/model.ts";
import type { AgentTrace, TraceStep } from "../../core/run/trace.ts";
import { listBranchTurns, type TurnTree } from "../../core/store/conversations/branches.ts";
import type { ConversationTurn } from "../../core/store/conversations/conversation.ts";
import { listTurnRuns } from "../../core/store/conversations/turn-runs.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { toSafeJson, toShortLine } from "../../kit/text/sanitize.ts";
import { renderSeconds, stopReasons } from "../event-lines.ts";

/** Is what is written of a run. Of one whose trace is no longer stored, only what the conversation itself holds is known. */
export type ExportedRun = Pick<AgentTrace, "question" | "final_answer" | "status" | "steps" | "error" | "feedback"> &
  Partial<Pick<AgentTrace, "run_id" | "mode" | "started_at" | "models" | "finish_reason">>;

/** Holds what is written of a conversation: its runs on one branch, oldest first. */
export interface ExportedConversation {
  id: string;
  title: string;
  runs: readonly ExportedRun[];
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
  const turns = await loadTurns(store, id, tree);
  const runs: ExportedRun[] = [];
  const places: RunPlace[] = [];
  for (const { n, parent, runId } of tree.turns) {
    signal.throwIfAborted();
    const run = (runId === undefined ? undefined : await store.trace(runId)) ?? toBareRun(turns.get(n), runId);
    if (run === undefined) continue;
    runs.push(run);
    places.push({ n, parent });
  }
  const known = await store.load(id);
  return runs.length === 0 ? undefined : { id, title: known?.title ?? "", runs, places };
}

/** Returns the turns of all branches by their numbers. */
async function loadTurns(store: ConversationStore, id: string, tree: TurnTree): Promise<Map<number, ConversationTurn>> {
  const turns = new Map<number, ConversationTurn>();
  for (const { branch } of tree.branches) {
    const path = listBranchTurns(tree, branch);
    const known = (await store.load(id, branch))?.turns ?? [];
    for (const [index, { n }] of path.entries()) {
      const turn = known[index];
      if (turn) turns.set(n, turn);
    }
  }
  return turns;
}

/** Runs are kept for a shorter time than conversations, and those of a fork belong to the conversation that it was made of. */
function toBareRun(turn: ConversationTurn | undefined, runId: string | undefined): ExportedRun | undefined {
  if (turn === undefined) return undefined;
  const { question, answer, status = "complete" } = turn;
  return {
    ...{ run_id: runId, question, final_answer: answer, steps: [], error: null },
    status: status === "interrupted" ? "cancelled" : status,
  };
}

/** Returns undefined for a conversation of which nothing is stored. */
export async function loadExported(
  store: ConversationStore,
  { id, branch, signal }: { id: string; branch: number | undefined; signal: AbortSignal },
): Promise<ExportedConversation | undefined> {
  const known = await store.load(id, branch);
  const runIds = await listTurnRuns(store, id, branch);
  const runs: ExportedRun[] = [];
  for (const [index, runId] of runIds.entries()) {
    signal.throwIfAborted();
    // Without branches, runs stand for themselves, and not for turns.
    const turn = store.branches && known?.turns[index];
    const run = (runId === undefined ? undefined : await store.trace(runId)) ?? toBareRun(turn, runId);
    if (run) runs.push(run);
  }
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
export function listExportedSteps({ steps }: ExportedRun, locale: Locale): ExportedStep[] {
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
export function renderEnding({ status, finish_reason, error }: ExportedRun, locale: Locale): string {
  if (status === "complete") return "";
  const reason = say(
    locale,
    finish_reason ? stopReasons[finish_reason] : { zh: "没有完整回答", en: "not answered in full" },
  );
  return `⚠ ${toShortLine(error ? `${reason} · ${error.message}` : reason, 300)}`;
}

/** Returns the models that were called, each once, in their order. */
export function listModels(runs: readonly ExportedRun[]): string[] {
  const bills = runs.flatMap(({ models }) =>
    models ? [models.function_call, models.answer, ...(models.compact ? [models.compact] : [])] : [],
  );
  return [...new Set(bills.filter(({ calls }) => calls > 0).map(toModelName))];
}
